//! The description of one option: what the command line, the documentation and the service's page are made from.

/// One option of an operation, as the specification's table gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Its place in `options`, in the specification's case: `pageMargin.unit`.
    pub path: &'static str,
    /// What it holds.
    pub kind: FieldKind,
    /// Whether it must be given.
    pub need: Need,
    /// What the service uses when it is left out, where the specification says so.
    pub default: Option<&'static str>,
    /// One line of meaning, with its unit.
    pub about: &'static str,
}

/// What an option holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldKind {
    /// Any text.
    Text,
    /// A text that must not be shown: a password.
    Secret,
    /// `true` or `false`.
    Bool,
    /// A whole number, both bounds included.
    Integer {
        /// The least value.
        min: u32,
        /// The greatest value.
        max: u32,
    },
    /// A number.
    Number,
    /// One of these texts and no other.
    Choice(&'static [&'static str]),
}

/// Whether an option must be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// It may be left out.
    Optional,
    /// The operation needs it.
    Required,
    /// It may be left out together with the object it stands in; once that is given, it is needed.
    WithParent,
}

impl Field {
    pub(crate) const fn new(path: &'static str, kind: FieldKind, need: Need, about: &'static str) -> Self {
        Self { path, kind, need, default: None, about }
    }

    pub(crate) const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }
}
