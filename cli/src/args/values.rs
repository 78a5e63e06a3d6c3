//! Parses the values of settings: sizes such as `64GiB`, times such as `90s`, numbers and switches.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

/// The units of size, in bytes.
const SIZES: &[(&str, u64)] = &[
    ("", 1),
    ("B", 1),
    ("KB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

/// The units of time, in milliseconds.
const TIMES: &[(&str, u64)] =
    &[("", 1000), ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

/// A whole number that is not negative.
pub fn number<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|why| {
        format!("{text:?} is not valid ({why}); give a whole number such as 8, without a sign or unit")
    })
}

/// `true` or `false`.
pub fn switch(text: &str) -> Result<bool, String> {
    match text {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err(format!("{text:?} is not a switch; give true or false")),
    }
}

/// A number of bytes.
pub fn size<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let bytes = with_unit(text, SIZES).and_then(|bytes| T::try_from(bytes).ok());
    bytes.ok_or_else(|| {
        format!("{text:?} is not a size; give a number of bytes, or a number with KB, MB, GB, TB, KiB, MiB, GiB or TiB")
    })
}

/// A duration.
pub fn time(text: &str) -> Result<Duration, String> {
    let time = with_unit(text, TIMES).map(Duration::from_millis);
    time.ok_or_else(|| {
        format!("{text:?} is not a time; give a number of seconds, or a number with ms, s, m, h or d")
    })
}

/// A duration of whole seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let time = time(text)?;
    if time.subsec_nanos() == 0 {
        Ok(time)
    } else {
        Err(format!("{text:?} is not a whole number of seconds"))
    }
}

fn with_unit(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim_start();
    let (_, times) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    number.parse::<u64>().ok()?.checked_mul(*times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_read_with_and_without_a_unit() {
        for (text, bytes) in [("17", 17), ("1 KB", 1000), ("1kib", 1024), ("64GiB", 64 << 30), ("0", 0)] {
            assert_eq!(size::<u64>(text), Ok(bytes), "{text}");
        }
        for (text, millis) in
            [("2", 2000), ("250ms", 250), ("5m", 300_000), ("24h", 86_400_000), ("7d", 604_800_000)]
        {
            assert_eq!(time(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "GiB", "-1", "1.5GiB", "1 potato", "99999999999999999999", "99999999999TiB", "1e3"] {
            assert!(size::<u64>(text).is_err() && time(text).is_err(), "{text}");
        }
        assert!(seconds("1500ms").is_err() && seconds("2m").is_ok());
    }
}
