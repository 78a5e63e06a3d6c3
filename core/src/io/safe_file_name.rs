//! A service's word for a file, made safe for a disk.

/// What a result is called where the service gives it no name that can be used.
const FALLBACK: &str = "result";
/// The longest name in bytes; most file systems take 255, and a temporary name beside it is longer.
const LONGEST: usize = 200;

/// Reduces `name` to one that stays in its directory on every system: the last part of a path, without control
/// characters, characters that some system forbids, device names and endings that Windows drops.
pub(crate) fn safe_file_name(name: &str) -> String {
    let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let base = match base.split_once(':') {
        Some((drive, rest)) if drive.len() == 1 => rest,
        _ => base,
    };
    let clean: String =
        base.chars().filter(|c| !is_forbidden(*c)).map(|c| if c == ':' { '_' } else { c }).collect();
    // A leading dot hides a file, and `-` is taken for an option by programs that it is given to.
    let clean =
        clean.trim_end_matches(is_loose).trim_start_matches(|c| is_loose(c) || matches!(c, '-' | '~'));
    // What is cut off may be all that told a name from a device's.
    let short = shortened(clean);
    let stem = short.split('.').next().unwrap_or_default().trim_end();
    if stem.is_empty() {
        return FALLBACK.to_owned();
    }
    if is_device(stem) { shortened(&format!("_{short}")) } else { short }
}

/// What must not stand at an end.
fn is_loose(c: char) -> bool {
    c == '.' || c.is_whitespace()
}

fn is_forbidden(c: char) -> bool {
    // Besides controls: what reverses or hides a part of a name when it is shown.
    let invisible = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{2028}' | '\u{2029}');
    c.is_control() || invisible || matches!(c, '<' | '>' | '"' | '|' | '?' | '*')
}

/// At most [`LONGEST`] bytes, the extension kept.
fn shortened(name: &str) -> String {
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if extension.len() <= 16 => (stem, format!(".{extension}")),
        _ => (name, String::new()),
    };
    let room = LONGEST - extension.len();
    let end = (0..=room).rev().find(|end| stem.is_char_boundary(*end)).unwrap_or(0);
    let stem = stem.get(..end).unwrap_or_default().trim_end_matches(is_loose);
    format!("{stem}{extension}")
}

/// Names that Windows gives to devices, whatever extension follows.
fn is_device(stem: &str) -> bool {
    let upper = stem.to_uppercase();
    let numbered = upper.strip_prefix("COM").or_else(|| upper.strip_prefix("LPT"));
    matches!(upper.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || numbered.is_some_and(|number| {
            let mut digits = number.chars();
            matches!(digits.next(), Some('0'..='9' | '¹' | '²' | '³')) && digits.next().is_none()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_its_directory() {
        for (name, expected) in [
            ("report.pdf", "report.pdf"),
            ("Über uns 2.pdf", "Über uns 2.pdf"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\boot.ini", "boot.ini"),
            ("C:evil.pdf", "evil.pdf"),
            ("file.pdf:stream", "file.pdf_stream"),
            ("/", "result"),
            ("..", "result"),
            (".", "result"),
            ("", "result"),
            (".bashrc", "bashrc"),
            ("-rf.pdf", "rf.pdf"),
            ("a\u{0}b\n.pdf", "ab.pdf"),
            ("gpj.\u{202e}fdp", "gpj.fdp"),
            ("CON.pdf", "_CON.pdf"),
            ("com1", "_com1"),
            ("lpt9.tar.gz", "_lpt9.tar.gz"),
            ("company.pdf", "company.pdf"),
            ("trailing. . ", "trailing"),
        ] {
            assert_eq!(safe_file_name(name), expected, "{name:?}");
        }
    }

    #[test]
    fn a_safe_name_is_safe_again() {
        for name in [
            format!("CON{}", "F".repeat(300)),
            format!("CON.{}", "F".repeat(300)),
            "COM1. ".repeat(60),
            "LPT.\u{a0}.".to_owned(),
            format!("PRN{}x", " ".repeat(300)),
        ] {
            let once = safe_file_name(&name);
            assert!(once.len() <= LONGEST && safe_file_name(&once) == once, "{once}");
        }
    }

    #[test]
    fn a_long_name_keeps_its_extension() {
        let name = safe_file_name(&format!("{}.pdf", "ä".repeat(300)));
        assert!(name.len() <= LONGEST && name.ends_with("ä.pdf"), "{name}");
    }
}
