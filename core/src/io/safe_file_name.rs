//! Safe file names: changes a name that the service sent into a name that is safe on every file system.

use std::ffi::OsString;
use std::path::Path;

/// The name of a result for which the service sent no usable name.
const FALLBACK: &str = "result";
/// The length limit in bytes. Most file systems allow 255, and the temporary file next to the result may have a
/// longer name.
const LONGEST: usize = 200;

/// Changes `name` so that the file stays in its directory on every system. Keeps only the last component of a path.
/// Removes control characters, characters that a system forbids, device names of Windows, and endings that Windows
/// removes.
pub(crate) fn safe_file_name(name: &str) -> String {
    let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let base = match base.split_once(':') {
        Some((drive, rest)) if drive.len() == 1 => rest,
        _ => base,
    };
    let clean: String =
        base.chars().filter(|c| !is_forbidden(*c)).map(|c| if c == ':' { '_' } else { c }).collect();
    // A leading dot would hide the file, and programs would take a name with a leading `-` for an option.
    let clean =
        clean.trim_end_matches(is_trimmed).trim_start_matches(|c| is_trimmed(c) || matches!(c, '-' | '~'));
    // Checked after shortening, because the shortened name may be equal to the name of a device.
    let short = shortened(clean);
    let stem = short.split('.').next().unwrap_or_default().trim_end();
    if stem.is_empty() {
        return FALLBACK.to_owned();
    }
    if is_device(stem) { shortened(&format!("_{short}")) } else { short }
}

/// The stem of the file name that [`safe_file_name`] makes from `name`.
pub(crate) fn safe_stem(name: &str) -> OsString {
    let safe = safe_file_name(name);
    Path::new(&safe).file_stem().map_or_else(|| FALLBACK.into(), ToOwned::to_owned)
}

/// Whether a character must not stand at the beginning or end of a name.
fn is_trimmed(c: char) -> bool {
    c == '.' || c.is_whitespace()
}

fn is_forbidden(c: char) -> bool {
    // These characters reverse or hide a part of the name when it is displayed.
    let invisible = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{2028}' | '\u{2029}');
    c.is_control() || invisible || matches!(c, '<' | '>' | '"' | '|' | '?' | '*')
}

/// Shortens a name to [`LONGEST`] bytes. The extension is kept.
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
    let stem = stem.get(..end).unwrap_or_default().trim_end_matches(is_trimmed);
    format!("{stem}{extension}")
}

/// Whether Windows treats a file with this name, and any extension, as a device.
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
