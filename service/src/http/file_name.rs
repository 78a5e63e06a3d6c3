//! File names that clients send. These names are shown to people, and are never used as a path.

/// The maximum length of a file name, in bytes.
const LONGEST: usize = 255;

/// The last component of the path `name`, without control characters, and at most 255 bytes long. `None` if the result
/// is empty.
pub(crate) fn base_name(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let shown: String = last.chars().filter(|character| !character.is_control()).collect();
    let shown = shown.trim();
    if matches!(shown, "" | "." | "..") { None } else { Some(shortened(shown)) }
}

/// The part of a file name after the last dot. Empty if the name has no dot, or only one dot at its beginning.
pub(crate) fn extension(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension,
        _ => "",
    }
}

/// `name` with `extension` instead of its present extension.
pub(crate) fn with_extension(name: &str, extension: &str) -> String {
    let own = self::extension(name);
    let stem = if own.is_empty() { name.trim_end_matches('.') } else { &name[..name.len() - own.len() - 1] };
    shortened(&format!("{}.{extension}", cut(stem, LONGEST - 1 - extension.len().min(16))))
}

/// `name`, cut to the maximum length. The extension is kept, unless the extension is very long.
fn shortened(name: &str) -> String {
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    match extension(name) {
        "" => cut(name, LONGEST).to_owned(),
        long if long.len() > 16 => cut(name, LONGEST).to_owned(),
        extension => format!("{}.{extension}", cut(name, LONGEST - 1 - extension.len())),
    }
}

/// The beginning of `text`, at most `most` bytes. No character is cut in two.
fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_reduced_to_its_last_component() {
        for (given, kept) in [
            ("report.pdf", Some("report.pdf")),
            ("/etc/passwd", Some("passwd")),
            ("C:\\Users\\me\\a b.PDF", Some("a b.PDF")),
            ("../../x", Some("x")),
            ("a\r\nb\0.pdf", Some("ab.pdf")),
            ("", None),
            ("..", None),
            ("dir/", None),
            (" \u{7} ", None),
        ] {
            assert_eq!(base_name(given).as_deref(), kept, "{given:?}");
        }
    }

    #[test]
    fn a_long_name_is_cut_between_characters_and_keeps_its_extension() {
        let kept = base_name(&format!("{}.pdf", "é".repeat(300))).unwrap();
        assert!(kept.len() <= LONGEST && kept.ends_with("é.pdf"), "{kept}");
        let kept = with_extension(&kept, "zip");
        assert!(kept.len() <= LONGEST && kept.ends_with("é.zip"), "{kept}");
        assert!(base_name(&format!("a.{}", "é".repeat(300))).unwrap().len() <= LONGEST);
    }

    #[test]
    fn the_result_takes_the_stem_and_the_new_extension() {
        assert_eq!(with_extension("report.final.docx", "pdf"), "report.final.pdf");
        assert_eq!(with_extension("report", "pdf"), "report.pdf");
        assert_eq!(with_extension(".profile", "pdf"), ".profile.pdf");
        assert_eq!(with_extension("odd.", "pdf"), "odd.pdf");
        assert_eq!(extension(".profile"), "");
        assert_eq!(extension("a.tar.GZ"), "GZ");
    }
}
