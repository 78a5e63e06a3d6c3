//! What several operations' options share: units and the checks of numbers.

use super::json::InvalidOption;
use crate::closed_set::closed_set;
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;

closed_set! {
    /// The unit of a length: 1 in = 2.54 cm = 72 points of PDF user space.
    exact Unit {
        /// Centimetres.
        Cm = "cm",
        /// Inches.
        In = "in",
    }
}

impl Unit {
    /// How many points (1/72 in) one unit is.
    pub const fn points(self) -> f64 {
        match self {
            Self::Cm => 72.0 / 2.54,
            Self::In => 72.0,
        }
    }
}

/// Reads a whole number. In JSON `30.0` is the same number as `30`, and some languages write it so.
pub(super) fn whole<'de, D: Deserializer<'de>, T: Whole>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_any(WholeVisitor(PhantomData))
}

/// The same, where it may be left out.
pub(super) fn maybe_whole<'de, D: Deserializer<'de>, T: Whole>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    struct Read<T>(T);
    impl<'de, T: Whole> Deserialize<'de> for Read<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            whole(deserializer).map(Self)
        }
    }
    Ok(Option::<Read<T>>::deserialize(deserializer)?.map(|Read(number)| number))
}

/// A type of whole numbers.
pub(super) trait Whole: TryFrom<u64> {
    /// What messages call it.
    const NAME: &'static str;
}

impl Whole for u8 {
    const NAME: &'static str = "u8";
}

impl Whole for u32 {
    const NAME: &'static str = "u32";
}

struct WholeVisitor<T>(PhantomData<T>);

impl<T: Whole> Visitor<'_> for WholeVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::NAME)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        T::try_from(number).map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        let found = u64::try_from(number).ok().and_then(|number| T::try_from(number).ok());
        found.ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        // Up to there every whole number is a float of its own.
        let whole = number.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&number);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it was looked at just now"
        )]
        let found = whole.then_some(number as u64).and_then(|number| T::try_from(number).ok());
        found.ok_or_else(|| E::invalid_type(Unexpected::Float(number), &self))
    }
}

/// JSON has no infinity and no NaN; a number that is one would be sent as `null`.
pub(super) fn finite(path: &str, value: Option<f64>) -> Result<(), InvalidOption> {
    match value {
        Some(value) if !value.is_finite() => {
            Err(InvalidOption::new(path, format!("{value} is not a finite number")))
        }
        _ => Ok(()),
    }
}

pub(super) fn at_least_zero(path: &str, value: Option<f64>) -> Result<(), InvalidOption> {
    finite(path, value)?;
    match value {
        Some(value) if value < 0.0 => {
            Err(InvalidOption::new(path, format!("{value} is negative; give 0 or more")))
        }
        _ => Ok(()),
    }
}

pub(super) fn above_zero(path: &str, value: Option<f64>) -> Result<(), InvalidOption> {
    finite(path, value)?;
    match value {
        Some(value) if value <= 0.0 => {
            Err(InvalidOption::new(path, format!("{value} is not a size; give more than 0")))
        }
        _ => Ok(()),
    }
}
