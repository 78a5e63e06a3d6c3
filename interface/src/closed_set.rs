//! `closed_set!` declares an enum for the values that the specification lists.

/// Declares an enum for fixed texts, with `ALL`, `TEXTS`, `SET`, `as_str`, `Display`, `FromStr` and serde. Reading a
/// text that is not in the set returns an error that lists the allowed values. With `ignore_case`, the case of a text
/// does not matter for reading; the text is always written in the case of the specification.
macro_rules! closed_set {
    (@find exact, $text:expr, $all:expr) => { $all.iter().copied().find(|value| value.as_str() == $text) };
    (@find ignore_case, $text:expr, $all:expr) => {
        $all.iter().copied().find(|value| value.as_str().eq_ignore_ascii_case($text))
    };
    ($(#[doc = $about:literal])+ $matching:ident $name:ident {
        $($(#[doc = $value_about:literal])+ $variant:ident = $text:literal),+ $(,)?
    }) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[doc = $value_about])+ $variant),+ }

        impl $name {
            /// Every value, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// The texts of [`Self::ALL`].
            pub const TEXTS: &'static [&'static str] = &[$($text),+];
            /// The description of the set in the table of options.
            pub const SET: &'static crate::field::ClosedSet = &crate::field::ClosedSet {
                name: stringify!($name),
                about: concat!($($about),+).trim_ascii(),
                texts: Self::TEXTS,
                abouts: &[$(concat!($($value_about),+).trim_ascii()),+],
            };

            /// The text of the value in the specification.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.as_str()) }
        }

        impl std::str::FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                closed_set!(@find $matching, text, Self::ALL)
                    .ok_or_else(|| format!("{text:?} is not one of {}", Self::TEXTS.join(", ")))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use closed_set;
