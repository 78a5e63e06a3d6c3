//! The barcode types: their names, the values they can encode, and their quiet zones.

use rxing::BarcodeFormat;

/// How a symbol is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// The symbol consists of bars side by side. The bars may have any height.
    Bars,
    /// The symbol consists of rows of bars, one row above the other. Each row is several modules high.
    Rows,
    /// The symbol consists of square modules.
    Squares,
}

/// A type of barcode.
#[derive(Debug)]
pub(super) struct Symbology {
    /// The name of the type in options, for example `code128`.
    pub(super) name: &'static str,
    /// Other names of the type that options may use.
    aliases: &'static [&'static str],
    /// The name of the type in messages.
    pub(super) title: &'static str,
    pub(super) format: BarcodeFormat,
    pub(super) shape: Shape,
    /// The width of the quiet zone on the left and on the right, in modules. Symbols of squares or rows also have a
    /// quiet zone above and below; its width is the larger of these two.
    pub(super) quiet_zone: (u32, u32),
    check: fn(&str) -> Result<String, String>,
}

/// The symbology of QR codes.
pub(super) const QR: Symbology = Symbology {
    name: "qr",
    aliases: &["qrcode"],
    title: "a QR code",
    format: BarcodeFormat::QR_CODE,
    shape: Shape::Squares,
    quiet_zone: (4, 4),
    check: any_text,
};

/// The symbology of Data Matrix symbols. The standard requires a quiet zone of one module. Two modules are safer if
/// other content is near the symbol.
pub(super) const DATA_MATRIX: Symbology = Symbology {
    name: "datamatrix",
    aliases: &["dm", "ecc200"],
    title: "a Data Matrix",
    format: BarcodeFormat::DATA_MATRIX,
    shape: Shape::Squares,
    quiet_zone: (2, 2),
    check: any_text,
};

/// All types, in the order in which messages list them.
pub(super) const ALL: [Symbology; 13] = [
    bars("code128", &["c128"], "Code 128", BarcodeFormat::CODE_128, (10, 10), code128),
    bars("code39", &["code3of9", "3of9", "c39"], "Code 39", BarcodeFormat::CODE_39, (10, 10), code39),
    bars("code93", &["c93"], "Code 93", BarcodeFormat::CODE_93, (10, 10), code93),
    bars("codabar", &["nw7"], "Codabar", BarcodeFormat::CODABAR, (10, 10), codabar),
    bars(
        "ean13",
        &["ean", "jan", "jan13", "gtin13", "isbn13"],
        "EAN-13",
        BarcodeFormat::EAN_13,
        (11, 7),
        ean13,
    ),
    bars("ean8", &["jan8", "gtin8"], "EAN-8", BarcodeFormat::EAN_8, (7, 7), ean8),
    bars("upca", &["upc", "gtin12"], "UPC-A", BarcodeFormat::UPC_A, (9, 9), upc_a),
    bars("upce", &[], "UPC-E", BarcodeFormat::UPC_E, (9, 7), upc_e),
    bars("itf", &["itf14", "interleaved2of5", "i2of5", "2of5"], "ITF", BarcodeFormat::ITF, (10, 10), itf),
    bars("telepen", &[], "Telepen", BarcodeFormat::TELEPEN, (10, 10), telepen),
    Symbology {
        name: "pdf417",
        aliases: &[],
        title: "PDF417",
        format: BarcodeFormat::PDF_417,
        shape: Shape::Rows,
        quiet_zone: (2, 2),
        check: any_text,
    },
    Symbology {
        name: "aztec",
        aliases: &["azteccode"],
        title: "an Aztec code",
        format: BarcodeFormat::AZTEC,
        shape: Shape::Squares,
        quiet_zone: (2, 2),
        check: any_text,
    },
    DATA_MATRIX,
];

const fn bars(
    name: &'static str,
    aliases: &'static [&'static str],
    title: &'static str,
    format: BarcodeFormat,
    quiet_zone: (u32, u32),
    check: fn(&str) -> Result<String, String>,
) -> Symbology {
    Symbology { name, aliases, title, format, shape: Shape::Bars, quiet_zone, check }
}

/// The type with this name. Case, spaces and hyphens are ignored, so that `Code-128` and `EAN 13` are found.
///
/// # Errors
/// If no type has this name: a sentence that lists the names of all types.
pub(super) fn find(name: &str) -> Result<&'static Symbology, String> {
    static TYPES: [Symbology; 13] = ALL;
    static QR_TYPE: Symbology = QR;
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    TYPES
        .iter()
        .chain([&QR_TYPE])
        .find(|symbology| symbology.name == plain || symbology.aliases.contains(&plain.as_str()))
        .ok_or_else(|| {
            let names: Vec<&str> = TYPES.iter().chain([&QR_TYPE]).map(|symbology| symbology.name).collect();
            let shown: String = name.chars().take(40).collect();
            format!("unknown barcode type {shown:?}; use one of {}", names.join(", "))
        })
}

impl Symbology {
    /// The value to encode, with the check digit. If the type has a check digit and the value lacks it, the check digit
    /// is added.
    ///
    /// # Errors
    /// A sentence with the reason why the type cannot encode the value.
    pub(super) fn value(&self, value: &str) -> Result<String, String> {
        if value.is_empty() {
            return Err(format!("{} cannot encode an empty value", self.title));
        }
        (self.check)(value).map_err(|reason| format!("{} cannot encode this value: {reason}", self.title))
    }
}

fn any_text(value: &str) -> Result<String, String> {
    Ok(value.to_owned())
}

/// Checks that a value has at most 80 characters, and that `allowed` accepts each of them. `what` names the allowed
/// characters in the message.
fn restricted_to(value: &str, allowed: impl Fn(char) -> bool, what: &str) -> Result<String, String> {
    if let Some(other) = value.chars().find(|c| !allowed(*c)) {
        return Err(format!("it contains {other:?}; this type encodes only {what}"));
    }
    match value.chars().count() {
        0..=80 => Ok(value.to_owned()),
        length => Err(format!("it has {length} characters; at most 80 can be stamped")),
    }
}

fn code128(value: &str) -> Result<String, String> {
    restricted_to(value, |c| c.is_ascii(), "ASCII characters")
}

fn code39(value: &str) -> Result<String, String> {
    let allowed = |c: char| c.is_ascii_digit() || c.is_ascii_uppercase() || " -.$/+%".contains(c);
    restricted_to(value, allowed, "digits, capital letters, spaces and - . $ / + %")
}

fn code93(value: &str) -> Result<String, String> {
    restricted_to(value, |c| c.is_ascii(), "ASCII characters")?;
    // A character that is not in the basic alphabet of Code 39 is encoded as two symbol characters.
    let symbols = value.chars().map(|c| if code39(&c.to_string()).is_ok() { 1 } else { 2 }).sum::<usize>();
    if symbols > 80 {
        Err(format!("it needs {symbols} symbol characters; at most 80 can be stamped"))
    } else {
        Ok(value.to_owned())
    }
}

fn telepen(value: &str) -> Result<String, String> {
    restricted_to(value, |c| c.is_ascii(), "ASCII characters")
}

fn codabar(value: &str) -> Result<String, String> {
    const ALLOWED: &str = "digits and - $ : / . +, with one of the letters A to D at both ends or at neither";
    let is_start_or_stop = |c: Option<char>| c.is_some_and(|c| "ABCDabcd".contains(c));
    let has_start_and_stop = value.chars().count() > 1
        && is_start_or_stop(value.chars().next())
        && is_start_or_stop(value.chars().next_back());
    let inner = if has_start_and_stop { value.get(1..value.len() - 1).unwrap_or_default() } else { value };
    if inner.is_empty() {
        return Err(format!(
            "there is nothing between its start and stop letters; this type encodes {ALLOWED}"
        ));
    }
    restricted_to(inner, |c| c.is_ascii_digit() || "-$:/.+".contains(c), ALLOWED)?;
    Ok(if has_start_and_stop { value.to_ascii_uppercase() } else { format!("A{value}A") })
}

fn itf(value: &str) -> Result<String, String> {
    restricted_to(value, |c| c.is_ascii_digit(), "digits")?;
    match value.len() % 2 {
        0 => Ok(value.to_owned()),
        _ => Err(format!(
            "it has {} digits, and this type encodes pairs of digits; add a 0 at the start",
            value.len()
        )),
    }
}

fn ean13(value: &str) -> Result<String, String> {
    with_check_digit(value, 13, str::to_owned)
}

fn ean8(value: &str) -> Result<String, String> {
    with_check_digit(value, 8, str::to_owned)
}

fn upc_a(value: &str) -> Result<String, String> {
    with_check_digit(value, 12, str::to_owned)
}

fn upc_e(value: &str) -> Result<String, String> {
    // A value of six digits lacks the digit for the number system. The number system is then 0.
    let value = if value.len() == 6 { format!("0{value}") } else { value.to_owned() };
    if value.chars().all(|c| c.is_ascii_digit()) && !value.starts_with(['0', '1']) {
        return Err("its first digit, the number system, must be 0 or 1".to_owned());
    }
    with_check_digit(&value, 8, upc_a_of_upc_e)
}

/// Checks a number of `length` digits, the last of which is a check digit. If the check digit is missing, adds it.
/// `expanded` returns the digits that the check digit is computed from.
fn with_check_digit(value: &str, length: usize, expanded: fn(&str) -> String) -> Result<String, String> {
    let given = value.chars().count();
    if let Some(other) = value.chars().find(|c| !c.is_ascii_digit()) {
        return Err(format!("it contains {other:?}; this type encodes only digits"));
    }
    if given != length && given != length - 1 {
        return Err(format!(
            "it has {given} digits; give {} digits, or {length} with the check digit",
            length - 1
        ));
    }
    let body = value.get(..length - 1).unwrap_or(value);
    let digit = check_digit(&expanded(body));
    match value.get(length - 1..).filter(|last| !last.is_empty()) {
        Some(last) if last != digit => Err(format!("its check digit is {last} but must be {digit}")),
        _ => Ok(format!("{body}{digit}")),
    }
}

/// The check digit. It makes the sum of all digits a multiple of ten; in this sum, every other digit is counted three
/// times.
fn check_digit(digits: &str) -> String {
    let sum: u32 = digits
        .bytes()
        .rev()
        .zip([3, 1].into_iter().cycle())
        .map(|(digit, weight)| u32::from(digit.saturating_sub(b'0')) * weight)
        .sum();
    ((10 - sum % 10) % 10).to_string()
}

/// The UPC-A number, without its check digit, that the first seven digits of a UPC-E number represent.
fn upc_a_of_upc_e(short: &str) -> String {
    let part = |from: usize, to: usize| short.get(from..to).unwrap_or_default();
    let (system, last) = (part(0, 1), part(6, 7));
    match last {
        "0" | "1" | "2" => format!("{system}{}{last}0000{}", part(1, 3), part(3, 6)),
        "3" => format!("{system}{}00000{}", part(1, 4), part(4, 6)),
        "4" => format!("{system}{}00000{}", part(1, 5), part(5, 6)),
        _ => format!("{system}{}0000{last}", part(1, 6)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str, value: &str) -> Result<String, String> {
        find(name).unwrap().value(value)
    }

    #[test]
    fn names_are_read_leniently_and_an_unknown_one_lists_all() {
        for (name, found) in [
            ("code128", "code128"),
            ("Code-128", "code128"),
            ("CODE_128", "code128"),
            ("EAN 13", "ean13"),
            ("ean-8", "ean8"),
            ("UPC-A", "upca"),
            ("PDF417", "pdf417"),
            ("Data Matrix", "datamatrix"),
            ("QR Code", "qr"),
            ("Interleaved 2 of 5", "itf"),
        ] {
            assert_eq!(find(name).unwrap().name, found, "{name}");
        }
        let error = find("maxicode").unwrap_err();
        for symbology in ALL.iter().chain([&QR]) {
            assert!(error.contains(symbology.name), "{error}");
        }
        assert!(find("").is_err());
    }

    #[test]
    fn check_digits_are_added_or_checked() {
        assert_eq!(value("ean13", "978316148410").unwrap(), "9783161484100");
        assert_eq!(value("ean13", "9783161484100").unwrap(), "9783161484100");
        assert_eq!(value("ean8", "9638507").unwrap(), "96385074");
        assert_eq!(value("upca", "03600029145").unwrap(), "036000291452");
        assert_eq!(value("upce", "0425261").unwrap(), "04252614");
        assert_eq!(value("upce", "425261").unwrap(), "04252614");
        let error = value("ean13", "9783161484109").unwrap_err();
        assert!(error.contains("EAN-13") && error.contains("is 9 but must be 0"), "{error}");
    }

    #[test]
    fn a_value_that_a_type_cannot_encode_is_refused_with_the_reason() {
        for (name, bad, word) in [
            ("code128", "ñ", "ASCII"),
            ("code128", &"x".repeat(81), "81"),
            ("code39", "abc", "capital"),
            ("code93", "é", "ASCII"),
            ("code93", &"a".repeat(41), "82"),
            ("codabar", "12X", "A to D"),
            ("codabar", "A12", "A to D"),
            ("codabar", "AB", "nothing"),
            ("codabar", "é", "A to D"),
            ("itf", "123", "3 digits"),
            ("itf", "12a4", "'a'"),
            ("itf", "١٢", "digits"),
            ("ean13", "12", "12 digits, or 13"),
            ("ean13", "12345678901x", "'x'"),
            ("ean8", "１２３４５６７", "digits"),
            ("upce", "2123456", "0 or 1"),
            ("telepen", "ü", "ASCII"),
            ("qr", "", "empty"),
        ] {
            let error = value(name, bad).unwrap_err();
            assert!(error.contains(word), "{name} {bad}: {error}");
        }
    }
}
