//! Timestamps as ISO 8601 in UTC with milliseconds: `2026-01-31T09:05:00.250Z`.

use std::time::{SystemTime, UNIX_EPOCH};

/// `time` in UTC; a time before 1970 becomes the start of 1970.
pub(crate) fn iso8601(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", since.subsec_millis())
}

/// The date `days` after 1970-01-01 in the Gregorian calendar. The calculation lets years begin in March: then the leap
/// day is the last day of a year, and the lengths of the months repeat every five months.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468; // from 0000-03-01
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn at(millis: u64) -> String {
        iso8601(UNIX_EPOCH + Duration::from_millis(millis))
    }

    #[test]
    fn known_times_are_formatted() {
        assert_eq!(at(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_826_154_007), "2000-02-29T12:09:14.007Z");
        assert_eq!(at(1_709_210_096_999), "2024-02-29T12:34:56.999Z");
        assert_eq!(at(4_107_542_399_000), "2100-02-28T23:59:59.000Z");
        assert_eq!(at(4_107_542_400_000), "2100-03-01T00:00:00.000Z");
    }

    #[test]
    fn every_day_of_four_centuries_agrees_with_httpdate() {
        for day in 0..146_097_u64 {
            let time = UNIX_EPOCH + Duration::from_secs(day * 86_400 + 3_661);
            let expected = httpdate::fmt_http_date(time); // Thu, 01 Jan 1970 01:01:01 GMT
            let ours = iso8601(time);
            assert_eq!(ours[8..10], expected[5..7], "{ours} {expected}");
            assert_eq!(ours[..4], expected[12..16], "{ours} {expected}");
            assert_eq!(ours[11..19], expected[17..25], "{ours} {expected}");
        }
    }
}
