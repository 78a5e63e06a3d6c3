//! Property tests: statements that must hold for every input.

use crate::http::address::Address;
use crate::http::problem::ProblemDetails;
use crate::http::retry::parse_retry_after;
use crate::io::safe_file_name::safe_file_name;
use crate::operation::token::ResumeToken;
use crate::redact::{self, Scrubber};
use proptest::prelude::*;
use recto_interface::{Secret, endpoint};
use std::path::{Component, Path};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

proptest! {
    #[test]
    fn an_identifier_is_one_segment_that_decodes_to_itself(id in any::<String>()) {
        prop_assume!(endpoint::is_segment(&id));
        let path = endpoint::file(&id);
        let segment = path.strip_prefix("/v1/files/").unwrap();
        prop_assert!(segment.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~%".contains(&b)));
        prop_assert_eq!(percent_encoding::percent_decode_str(segment).decode_utf8().unwrap(), id.as_str());
        let address = Address::parse(&format!("https://h.example{path}")).unwrap();
        prop_assert_eq!(address.uri().path(), path.as_str());
    }

    #[test]
    fn a_safe_name_is_one_plain_component_and_safe_again(name in any::<String>()) {
        let safe = safe_file_name(&name);
        let components: Vec<_> = Path::new(&safe).components().collect();
        prop_assert!(matches!(components[..], [Component::Normal(only)] if only == safe.as_str()), "{safe:?}");
        prop_assert!(safe.len() <= 200 && !safe.contains(['/', '\\', ':']) && !safe.chars().any(char::is_control));
        prop_assert_eq!(safe_file_name(&safe), safe);
    }

    #[test]
    fn a_safe_name_withstands_known_attacks(name in r#"[./\\:~ -]{0,6}(CON|nul|com1|\.\.|\u{202e}|a|ä|\.pdf){0,5}[./\\:\x00 ]{0,4}"#) {
        let safe = safe_file_name(&name);
        prop_assert_eq!(Path::new(&safe).components().count(), 1);
        prop_assert!(!safe.starts_with('.') && !safe.ends_with(['.', ' ']), "{safe:?}");
        prop_assert_eq!(safe_file_name(&safe), safe);
    }

    #[test]
    fn retry_after_reads_what_was_written(seconds in 0..4_000_000_000_u64, now in 0..4_000_000_000_u64) {
        let now = UNIX_EPOCH + Duration::from_secs(now);
        prop_assert_eq!(parse_retry_after(&seconds.to_string(), now), Some(Duration::from_secs(seconds)));
        let date = UNIX_EPOCH + Duration::from_secs(seconds);
        let wait = date.duration_since(now).unwrap_or_default();
        prop_assert_eq!(parse_retry_after(&httpdate::fmt_http_date(date), now), Some(wait));
    }

    #[test]
    fn no_text_breaks_a_parser_of_untrusted_input(text in any::<String>()) {
        let _ = parse_retry_after(&text, SystemTime::now());
        let _ = ProblemDetails::read(text.as_bytes());
        let _ = ResumeToken::read(&text);
        let _ = redact::address(&text);
        if let Ok(address) = Address::parse(&text) {
            prop_assert!(text.contains(address.uri().path_and_query().map_or("", |target| target.as_str())) || address.uri().path() == "/");
        }
        let _ = Address::parse("https://h.example/a?b").map(|at| at.join(&text));
    }

    #[test]
    fn no_secret_survives_redaction(secret in "[ -~]{4,20}", other in "[ -~]{1,8}", before in any::<String>(), after in any::<String>()) {
        prop_assume!(!"[redacted]".contains(&secret) && !"[redacted]".contains(&other));
        let scrubber = Scrubber::new(&[Secret::from(other.as_str()), Secret::from(secret.as_str())]);
        let json = serde_json::json!({ "said": format!("{before}{secret}{after}") }).to_string();
        for text in [format!("{before}{secret}{after}"), json] {
            prop_assert!(!scrubber.scrub(&text).replace("[redacted]", "\u{1}").contains(&secret), "{text:?}");
        }
    }

    #[test]
    fn no_query_survives_redaction(path in "[a-z/%0-9]{0,12}", query in "[A-Za-z0-9%=&+._-]{1,40}", around in "[ a-z\"]{0,5}") {
        let signed = format!("sig-{query}");
        let text = format!("{around}https://u:p-{query}@h.example/{path}?{signed}\"{around}");
        let clean = Scrubber::default().scrub(&text).into_owned();
        prop_assert!(!clean.contains(&signed) && !clean.contains(&format!("p-{query}")), "{clean}");
        prop_assert!(!redact::address(text.trim_matches([' ', '"'])).contains(&signed));
    }
}
