//! The examples in the docstrings. An operation, closed set or object that has no example here gets a generated one.

use crate::names::{method, options_of, part, snake};
use recto_interface::{ClosedSet, Field, FieldKind, OperationKind, Yields};

/// The lines before the call, the arguments of the call, and the name under which the result is saved.
type Example = (&'static [&'static str], &'static str, &'static str);

const OPERATIONS: &[(&str, Example)] = &[
    ("optimize", (&[], r#""report.pdf", profile="web""#, "small.pdf")),
    (
        "image-to-pdf",
        (
            &[r#"margin = recto.PageMargin(1.5, "cm")"#],
            r#""photo.jpg", page_size="a4", page_margin=margin"#,
            "photo.pdf",
        ),
    ),
    ("archive-pdfa", (&[], r#""report.pdf", conformance="pdf_a2_b""#, "archived.pdf")),
    ("pdf-to-jpeg", (&[], r#""report.pdf", max_size_in_pixels=(200, 200)"#, "pages.zip")),
    ("pdf-to-png", (&[], r#""report.pdf", color_space="gray", max_size_in_pixels=(200, 200)"#, "pages.zip")),
    ("pdf-to-tiff", (&[], r#""report.pdf""#, "pages.zip")),
    ("pdf-to-tiff-fax", (&[], r#""report.pdf""#, "fax.tiff")),
    ("doc-to-pdf", (&[], r#""letter.txt""#, "letter.pdf")),
    ("presentation-to-pdf", (&[], r#""talk.odp""#, "talk.pdf")),
    ("spreadsheet-to-pdf", (&[], r#""figures.csv""#, "figures.pdf")),
    ("encrypt", (&[], r#""report.pdf", password="open sesame""#, "secret.pdf")),
    ("decrypt", (&[], r#""locked.pdf", password="open sesame""#, "open.pdf")),
    (
        "stamp-text",
        (
            &[
                r#"margin = recto.Margin(top=2, right=2, unit="cm")"#,
                r##"style = recto.TextStyle(text_color="#c00000", is_bold=True, font_size=24)"##,
            ],
            r#""report.pdf", text="DRAFT", margin=margin, text_style=style"#,
            "draft.pdf",
        ),
    ),
    ("stamp-watermark", (&[], r#""report.pdf", text="CONFIDENTIAL""#, "marked.pdf")),
    (
        "stamp-barcode",
        (
            &[r#"size = recto.StampSize(width=6, height=2, unit="cm")"#],
            r#""report.pdf", type="code128", value="A-123", stamp_size=size"#,
            "barcode.pdf",
        ),
    ),
    (
        "stamp-data-matrix",
        (
            &[r#"size = recto.SquareSize(side=3, unit="cm")"#],
            r#""report.pdf", value="A-123", stamp_size=size"#,
            "matrix.pdf",
        ),
    ),
    (
        "stamp-qr",
        (
            &[r#"margin = recto.Margin(left=1, bottom=1, unit="cm")"#],
            r#""report.pdf", value="https://example.org", margin=margin"#,
            "qr.pdf",
        ),
    ),
    ("validate", (&[], r#""report.pdf", conformance="pdf17""#, "")),
    ("power-archive", (&[], r#""report.pdf", conformance="pdf_a2_b""#, "archived.pdf")),
];

/// The lines of code that show an enum in use.
const SETS: &[(&str, &[&str])] = &[
    (
        "Profile",
        &[
            r#">>> client.optimize("report.pdf", profile=recto.Profile.PRINT).save("print.pdf")"#,
            "PosixPath('print.pdf')",
        ],
    ),
    (
        "PageSize",
        &[
            r#">>> client.image_to_pdf("photo.jpg", page_size=recto.PageSize.LETTER).save("photo.pdf")"#,
            "PosixPath('photo.pdf')",
        ],
    ),
    (
        "Strategy",
        &[
            r#">>> client.image_to_pdf("photo.jpg", strategy=recto.Strategy.SHRINK_TO_PAGE).save("photo.pdf")"#,
            "PosixPath('photo.pdf')",
        ],
    ),
    (
        "ColorSpace",
        &[
            ">>> gray, size = recto.ColorSpace.GRAY, recto.PixelSize(200, 200)",
            r#">>> client.pdf_to_jpeg("report.pdf", color_space=gray, max_size_in_pixels=size).save("gray.zip")"#,
            "PosixPath('gray.zip')",
        ],
    ),
    (
        "Conformance",
        &[
            r#">>> client.archive_pdfa("report.pdf", conformance=recto.Conformance.PDF_A2_B).save("archived.pdf")"#,
            "PosixPath('archived.pdf')",
        ],
    ),
    ("Unit", &[">>> recto.PageMargin(0.5, recto.Unit.IN)", "PageMargin(margin=0.5, unit=<Unit.IN: 'in'>)"]),
    (
        "FontFamily",
        &[
            ">>> style = recto.TextStyle(font_family=recto.FontFamily.SERIF)",
            r#">>> client.stamp_text("report.pdf", text="DRAFT", text_style=style).save("draft.pdf")"#,
            "PosixPath('draft.pdf')",
        ],
    ),
];

/// The fields with which an object is created in its example.
const OBJECTS: &[(&str, &str)] = &[
    ("Margin", "top=2, right=2, unit='cm'"),
    ("PageMargin", "margin=1.5, unit='cm'"),
    ("PixelSize", "width=1200, height=1200"),
    ("SquareSize", "side=3, unit='cm'"),
    ("StampSize", "width=6, height=2, unit='cm'"),
    ("TextStyle", "text_color='#c00000', font_family='sans', is_bold=True, font_size=24"),
];

/// The documents that exist when the examples are tested.
const SAMPLES: &[&str] = &["report.pdf", "photo.jpg", "letter.txt", "talk.odp", "figures.csv"];

pub fn of_operation(kind: OperationKind, is_async: bool) -> Vec<String> {
    let known = OPERATIONS.iter().find(|(name, _)| *name == kind.name());
    let (setup, arguments, saved) = match known {
        Some((_, (setup, arguments, saved))) => (*setup, (*arguments).to_owned(), *saved),
        None => (&[] as &[_], arguments(kind), ""),
    };
    let (call, outcome) = match (kind.yields(), saved) {
        (Yields::Report, _) => ("result().validation.is_conforming".to_owned(), "True".to_owned()),
        (Yields::File, "") => ("result().status".to_owned(), "'finished'".to_owned()),
        (Yields::File, saved) => (format!("save(\"{saved}\")"), format!("PosixPath('{saved}')")),
    };
    let mut lines: Vec<_> = setup.iter().map(|line| format!(">>> {line}")).collect();
    let start = format!("client.{}({arguments})", method(kind));
    match (is_async, call.split_once(").")) {
        (false, _) => lines.push(format!(">>> {start}.{call}")),
        (true, None) => {
            lines.extend([format!(">>> operation = await {start}"), format!(">>> await operation.{call}")]);
        }
        (true, Some((call, field))) => lines.extend([
            format!(">>> operation = await {start}"),
            format!(">>> (await operation.{call})).{field}"),
        ]),
    }
    lines.push(outcome);
    lines
}

/// The arguments of a generated example: the first sample that the operation accepts, and the required options.
fn arguments(kind: OperationKind) -> String {
    let takes = |sample: &&&str| kind.accepts_name(sample);
    let sample = SAMPLES
        .iter()
        .find(takes)
        .map_or_else(|| format!("in.{}", kind.accepts()[0]), |name| (*name).to_owned());
    let mut arguments = format!("\"{sample}\"");
    for option in options_of(kind).iter().filter(|option| option.is_required()) {
        let field = kind.fields().iter().find(|field| snake(field.path) == option.name()).unwrap();
        arguments.push_str(&format!(", {}={}", option.name(), value(field).replace('\'', "\"")));
    }
    arguments
}

fn value(field: &Field) -> String {
    match field.kind {
        FieldKind::Text | FieldKind::Secret => "'text'".to_owned(),
        FieldKind::Bool => "True".to_owned(),
        FieldKind::Integer { min, .. } => min.to_string(),
        FieldKind::Number => "1.5".to_owned(),
        FieldKind::Choice(set) => format!("'{}'", set.texts[0]),
    }
}

pub fn of_set(set: &ClosedSet) -> Vec<String> {
    if let Some((_, lines)) = SETS.iter().find(|(name, _)| *name == set.name) {
        return lines.iter().map(|line| (*line).to_owned()).collect();
    }
    let (name, text) = (set.name, set.texts[0]);
    let member = snake(text).to_uppercase();
    vec![format!(">>> recto.{name}.{member}"), format!("<{name}.{member}: '{text}'>")]
}

pub fn of_object(name: &str, parts: &[&'static Field]) -> Vec<String> {
    let given = OBJECTS.iter().find(|(known, _)| *known == name).map(|(_, given)| (*given).to_owned());
    let given = given.unwrap_or_else(|| {
        let parts: Vec<_> =
            parts.iter().map(|field| format!("{}={}", snake(part(field)), value(field))).collect();
        parts.join(", ")
    });
    vec![format!(">>> recto.{name}({})", given.replace('\'', "\"")), format!("{name}({given})")]
}

#[test]
fn what_has_no_example_gets_one_from_the_table() {
    let kind = OperationKind::StampBarcode;
    assert_eq!(arguments(kind), r#""report.pdf", type="text", value="text""#);
    assert_eq!(arguments(OperationKind::DocToPdf), r#""letter.txt""#);
    let parts: Vec<_> =
        OperationKind::ImageToPdf.fields().iter().filter(|field| field.path.contains('.')).collect();
    assert_eq!(
        of_object("Other", &parts),
        [r#">>> recto.Other(margin=1.5, unit="cm")"#, "Other(margin=1.5, unit='cm')",]
    );
    let set = ClosedSet { name: "Other", about: "", texts: &["minimalSize"], abouts: &[""] };
    assert_eq!(of_set(&set), [">>> recto.Other.MINIMAL_SIZE", "<Other.MINIMAL_SIZE: 'minimalSize'>"]);
}
