//! The description of an option: the command line, the documentation, the service's web page and the Python and C++
//! types are generated from it.

/// One option of an operation, as the specification's table gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Its path in `options`, in the specification's case: `pageMargin.unit`.
    pub path: &'static str,
    /// The type of its value.
    pub kind: FieldKind,
    /// Whether it must be given.
    pub need: Need,
    /// The default that the specification documents for the service.
    pub default: Option<&'static str>,
    /// One line of meaning, with its unit.
    pub about: &'static str,
}

/// The type of an option's value.
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
    /// One of the texts of a closed set.
    Choice(&'static ClosedSet),
}

/// A closed set of texts: an enum of [`options`](crate::options).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosedSet {
    /// The enum's name: `PageSize`.
    pub name: &'static str,
    /// What it describes.
    pub about: &'static str,
    /// Its texts, in the specification's order and case.
    pub texts: &'static [&'static str],
    /// What each text means, in the same order.
    pub abouts: &'static [&'static str],
}

/// An option that is an object: its parts are the [`Field`]s whose path begins with its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// The option's name, in the specification's case: `pageMargin`.
    pub option: &'static str,
    /// The name of its type in [`options`](crate::options): `PageMargin`.
    pub name: &'static str,
    /// What it describes.
    pub about: &'static str,
}

/// Whether an option must be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// May be left out.
    Optional,
    /// Must be given.
    Required,
    /// Required where the object that contains it is given.
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
