//! Summarises several runs of one measurement as median and range.

use std::fmt;

/// The smallest, the median and the largest of several figures.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// The smallest figure.
    pub min: f64,
    /// The median.
    pub median: f64,
    /// The largest figure.
    pub max: f64,
}

impl Spread {
    /// The spread of these figures. All three values are 0 if there are no figures.
    pub fn of(figures: impl IntoIterator<Item = f64>) -> Self {
        let mut figures: Vec<f64> = figures.into_iter().collect();
        figures.sort_by(f64::total_cmp);
        let at = |place: usize| figures.get(place).copied().unwrap_or_default();
        Self { min: at(0), median: at(figures.len() / 2), max: at(figures.len().saturating_sub(1)) }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(2);
        write!(f, "{:.digits$} ({:.digits$} to {:.digits$})", self.median, self.min, self.max)
    }
}
