//! What several operations' options share: units and the checks of numbers.

use super::InvalidOption;
use crate::closed_set::closed_set;

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
