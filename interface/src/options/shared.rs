//! Units and number checks that the options of several operations share.

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
    /// The length of one unit in points (1/72 in).
    pub const fn points(self) -> f64 {
        match self {
            Self::Cm => 72.0 / 2.54,
            Self::In => 72.0,
        }
    }
}

/// Reads a whole number. In JSON `30.0` and `30` are the same number, and some languages write `30.0`.
pub(super) fn whole<'de, D: Deserializer<'de>, T: Whole>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_any(WholeVisitor(PhantomData))
}

/// Reads a whole number that may be left out.
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
    /// Its name in messages.
    const NAME: &'static str;
}

impl Whole for u8 {
    const NAME: &'static str = "a whole number from 0 to 255";
}

impl Whole for u32 {
    const NAME: &'static str = "a whole number from 0 to 4294967295";
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
        // Up to 2^53 a float represents every whole number exactly.
        let whole = number.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&number);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range is checked above"
        )]
        let found = whole.then_some(number as u64).and_then(|number| T::try_from(number).ok());
        found.ok_or_else(|| E::invalid_type(Unexpected::Float(number), &self))
    }
}

/// Refuses infinity and NaN: JSON has neither, and they would be sent as `null`.
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
