//! The description of an option. The command line, the documentation, the web page of the service, and the Python and
//! C++ types are generated from these descriptions.

/// One option of an operation, as the table in the specification describes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// The path of the option in `options`, in the case of the specification: `pageMargin.unit`.
    pub path: &'static str,
    /// The type of the value.
    pub kind: FieldKind,
    /// Whether a value must be given.
    pub need: Need,
    /// The default value of the service, as the specification documents it.
    pub default: Option<&'static str>,
    /// The meaning of the option in one line, with the unit of the value.
    pub about: &'static str,
}

/// The type of the value of an option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldKind {
    /// Any text.
    Text,
    /// A text that must not be shown: a password.
    Secret,
    /// `true` or `false`.
    Bool,
    /// A whole number from `min` to `max`. Both bounds are allowed.
    Integer {
        /// The least allowed value.
        min: u32,
        /// The greatest allowed value.
        max: u32,
    },
    /// A number, which may have a fraction.
    Number,
    /// One of the texts of a closed set.
    Choice(&'static ClosedSet),
}

/// A closed set of texts. It is an enum in [`options`](crate::options).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosedSet {
    /// The name of the enum: `PageSize`.
    pub name: &'static str,
    /// What the set describes.
    pub about: &'static str,
    /// The texts, in the order and case of the specification.
    pub texts: &'static [&'static str],
    /// The meaning of each text, in the order of `texts`.
    pub abouts: &'static [&'static str],
}

/// An option that is an object. Its parts are the [`Field`]s whose path begins with the name of the option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// The name of the option, in the case of the specification: `pageMargin`.
    pub option: &'static str,
    /// The name of the type in [`options`](crate::options): `PageMargin`.
    pub name: &'static str,
    /// What the object describes.
    pub about: &'static str,
}

/// Whether an option must be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The option may be left out.
    Optional,
    /// The option must be given.
    Required,
    /// The option must be given if the object that contains it is given.
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
