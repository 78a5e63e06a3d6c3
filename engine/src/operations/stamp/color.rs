//! Parses colours in options. All forms of CSS are accepted, for example `#c00`, `#c00000`, `red` and `rgb(192, 0, 0)`.

use color::{ParseError, Srgb, parse_color};
use recto_interface::InvalidOption;

/// An sRGB colour. Each component is from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rgb {
    pub(crate) red: f32,
    pub(crate) green: f32,
    pub(crate) blue: f32,
}

impl Rgb {
    /// The colour with these components, from 0 to 255.
    pub(crate) const fn bytes(red: u8, green: u8, blue: u8) -> Self {
        Self { red: red as f32 / 255.0, green: green as f32 / 255.0, blue: blue as f32 / 255.0 }
    }

    /// The PDF operation that sets this colour for filling, or for lines if `stroking` is true. A shade of gray is
    /// written as DeviceGray, so that black prints as pure black.
    pub(crate) fn operator(self, stroking: bool) -> String {
        let part = |value: f32| {
            let text = format!("{value:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        let (red, green, blue) = (part(self.red), part(self.green), part(self.blue));
        match (red == green && green == blue, stroking) {
            (true, false) => format!("{red} g"),
            (true, true) => format!("{red} G"),
            (false, false) => format!("{red} {green} {blue} rg"),
            (false, true) => format!("{red} {green} {blue} RG"),
        }
    }
}

/// Parses the colour in the option `field`.
///
/// # Errors
/// [`InvalidOption`] if the text is not a colour. The message contains the text and the accepted forms.
pub(crate) fn parse(field: &str, text: &str) -> Result<Rgb, InvalidOption> {
    let refuse = |why: String| {
        let forms = "write #c00, #c00000, a CSS name such as red, or rgb(192, 0, 0)";
        InvalidOption::new(field, format!("{:?} is not a colour: {why}; {forms}", shortened(text)))
    };
    let parsed = parse_color(text).map_err(|error| refuse(explain(error).to_owned()))?;
    let [red, green, blue, alpha] = parsed.to_alpha_color::<Srgb>().components;
    if !(red.is_finite() && green.is_finite() && blue.is_finite()) {
        return Err(refuse("one of its components is not a number".to_owned()));
    }
    if alpha != 1.0 {
        return Err(refuse("a stamp's colour cannot be transparent".to_owned()));
    }
    Ok(Rgb { red: red.clamp(0.0, 1.0), green: green.clamp(0.0, 1.0), blue: blue.clamp(0.0, 1.0) })
}

fn explain(error: ParseError) -> &'static str {
    match error {
        ParseError::UnknownColorIdentifier => "there is no colour with this name",
        ParseError::WrongNumberOfHexDigits => "it must have 3 or 6 hexadecimal digits",
        ParseError::ExpectedEndOfString => "there is other text after it",
        _ => "its form is not supported",
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a text, and returns the three components of the colour as bytes.
    fn bytes(text: &str) -> [u8; 3] {
        let color = parse("c", text).unwrap();
        [color.red, color.green, color.blue].map(|part| (part * 255.0).round() as u8)
    }

    #[test]
    fn colours_are_parsed_in_every_form_of_css() {
        for (text, read) in [
            ("#c00000", [192, 0, 0]),
            ("#C00000", [192, 0, 0]),
            (" rgb(192, 0, 0) ", [192, 0, 0]),
            ("rgb(192 0 0)", [192, 0, 0]),
            ("RGB(192,0,0)", [192, 0, 0]),
            ("#f80", [255, 136, 0]),
            ("rebeccapurple", [102, 51, 153]),
            ("DarkSlateGray", [47, 79, 79]),
            ("rgb(100%, 0%, 100%)", [255, 0, 255]),
            ("rgb(300, -5, 0)", [255, 0, 0]),
            ("#ff0000ff", [255, 0, 0]),
            ("hsl(120 100% 50%)", [0, 255, 0]),
        ] {
            assert_eq!(bytes(text), read, "{text}");
        }
    }

    #[test]
    fn invalid_colours_are_refused_with_the_accepted_forms() {
        for text in [
            "",
            "#",
            "#12345",
            "#ggg",
            "redd",
            "rgb(1,2)",
            "rgb(1,2,3",
            "12",
            "#ff000080",
            "transparent",
            "red;",
            "é",
        ] {
            let error = parse("textStyle.textColor", text).unwrap_err();
            assert_eq!(error.field, "options.textStyle.textColor");
            assert!(
                error.reason.contains("#c00000") && error.reason.contains("rgb(192, 0, 0)"),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn shades_of_gray_are_written_as_gray() {
        assert_eq!(Rgb::bytes(0, 0, 0).operator(false), "0 g");
        assert_eq!(Rgb::bytes(128, 128, 128).operator(true), "0.502 G");
        assert_eq!(Rgb::bytes(255, 0, 51).operator(false), "1 0 0.2 rg");
    }
}
