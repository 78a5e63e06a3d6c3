//! Documents of text: fonts, pages, links, structure, attachments, metadata.

use super::Outcome;
use super::book::{Book, settings};
use krilla::Data;
use krilla::action::LinkAction;
use krilla::annotation::{Annotation, LinkAnnotation, LinkBorder, Target};
use krilla::color::rgb;
use krilla::destination::{Destination, NamedDestination, XyzDestination};
use krilla::embed::{AssociationKind, EmbeddedFile, MimeType};
use krilla::geom::{Point, Rect};
use krilla::metadata::{DateTime, PageLayout, TextDirection};
use krilla::outline::OutlineNode;
use krilla::page::{NumberingStyle, PageLabel};
use krilla::paint::{Fill, Stroke};
use krilla::tagging::{
    Artifact, ArtifactType, ContentTag, ListNumbering, SpanTag, TableHeaderScope, Tag, TagGroup,
};
use std::num::{NonZeroU16, NonZeroU32};

const SAMPLES: [&str; 5] = [
    "Sphinx of black quartz, judge my vow: 0123456789 (§ 6.2.11) – “quoted” & <marked>",
    "Zażółć gęślą jaźń, příliš žluťoučký kůň, ÅÆØ ß ÿ",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία",
    "Жебракують філософи при ґанку церкви в Гадячі",
    "→ ∀x ∈ ℝ: ⌈x⌉ = −⌊−x⌋, ½ ≤ ¾ ★ ☂",
];

/// A text whose characters the font has: `DejaVu` Sans has all samples, `DejaVu` Serif all samples except the symbols,
/// and other fonts may only have Latin letters.
fn sample(number: usize, face: usize) -> &'static str {
    let number = if face + number < SAMPLES.len() && face < 2 { number } else { 0 };
    SAMPLES.get(number).copied().unwrap_or_default()
}

pub(crate) fn empty(_: &mut Book) -> Outcome<()> {
    Ok(())
}

pub(crate) fn text(book: &mut Book) -> Outcome<()> {
    let faces = book.faces.len();
    for page in 0..3_u8 {
        book.page(|leaf| {
            let mut y = 40.0;
            for face in 0..faces {
                for number in 0..SAMPLES.len() {
                    let size = 6.0 + f32::from(page) * 2.5;
                    leaf.line(face, size, (20.0, y), sample(number, face));
                    y += size * 1.3;
                }
            }
        })?;
    }
    Ok(())
}

pub(crate) fn pages(book: &mut Book) -> Outcome<()> {
    for number in 0..40_u16 {
        let (width, height) = (100.0 + 20.0 * f32::from(number % 9), 80.0 + 300.0 * f32::from(number % 5));
        let inner = Rect::from_ltrb(5.0, 6.0, width - 7.0, height - 8.0);
        let style = match number {
            0..4 => NumberingStyle::LowerRoman,
            4..30 => NumberingStyle::Arabic,
            _ => NumberingStyle::UpperAlpha,
        };
        let label =
            PageLabel::new(Some(style), (number > 29).then(|| "Anhang-".to_owned()), NonZeroU32::new(1));
        let page = settings(width, height)?
            .with_crop_box(inner.filter(|_| number % 2 == 0))
            .with_trim_box(inner.filter(|_| number % 3 == 0))
            .with_bleed_box(inner.filter(|_| number % 3 == 1))
            .with_page_label(label);
        book.page_of(page, |leaf| {
            leaf.line(usize::from(number), 12.0, (15.0, 40.0), &format!("Page {number}"));
        });
    }
    Ok(())
}

/// One glyph for three characters (a ligature), one glyph for two characters that look alike, and text that is filled,
/// stroked and written as outlines.
pub(crate) fn ligatures(book: &mut Book) -> Outcome<()> {
    let face = book.face(0);
    book.page(|leaf| {
        leaf.figure("Words with ligatures", |surface| {
            for (y, stroked, outlined) in [(60.0, false, false), (120.0, true, false), (180.0, false, true)] {
                // The glyph of the ligature stands for the three letters `ffi` of the text.
                let text = "Affiche office";
                let mut glyphs = face.glyphs("A\u{fb03}che o\u{fb03}ce");
                let (mut at, mut passed) = (0, 0);
                for glyph in &mut glyphs {
                    let length = if [1, 7].contains(&passed) { 3 } else { 1 };
                    glyph.text_range = at..at + length;
                    (at, passed) = (at + length, passed + 1);
                }
                if stroked {
                    surface.set_fill(None);
                    surface.set_stroke(Some(Stroke { width: 0.4, ..Stroke::default() }));
                }
                surface.draw_glyphs(
                    Point::from_xy(20.0, y),
                    &glyphs,
                    face.font.clone(),
                    text,
                    36.0,
                    outlined,
                );
                surface.set_stroke(None);
                surface.set_fill(Some(Fill::default()));
            }
            // The same glyph stands for two characters that look alike: a Latin and a Cyrillic O.
            let mut twice = face.glyphs("OO");
            if let Some(second) = twice.get_mut(1) {
                second.text_range = 1..3;
            }
            let font = face.font.clone();
            surface.draw_glyphs(Point::from_xy(20.0, 240.0), &twice, font, "OО", 36.0, false);
        });
    })
}

pub(crate) fn notdef(book: &mut Book) -> Outcome<()> {
    book.page(|leaf| leaf.line(0, 20.0, (20.0, 60.0), "No glyph for 漢 in DejaVu"))
}

pub(crate) fn private_use(book: &mut Book) -> Outcome<()> {
    book.page(|leaf| leaf.line(0, 20.0, (20.0, 60.0), "Not everybody's: \u{f400}\u{f401}"))
}

pub(crate) fn links(book: &mut Book) -> Outcome<()> {
    let rect = |y: f32| Rect::from_ltrb(20.0, y - 14.0, 300.0, y + 4.0).ok_or("no rectangle");
    for number in 0..4_u8 {
        let place = |page: usize| XyzDestination::new(page, Point::from_xy(0.0, 20.0 * f32::from(number)));
        let targets = [
            Target::Action(LinkAction::new(format!("https://example.com/?a={number}&b=(c)")).into()),
            Target::Destination(Destination::Xyz(place(usize::from(number + 1) % 4))),
            Target::Destination(NamedDestination::new(format!("chapter-{number}"), place(0)).into()),
        ];
        let rects = [rect(60.0)?, rect(100.0)?, rect(140.0)?];
        book.page(|leaf| {
            for (index, (target, rect)) in targets.into_iter().zip(rects).enumerate() {
                let mut link = if index == 1 {
                    LinkAnnotation::new_with_quad_points(vec![rect.into()], target)
                } else {
                    LinkAnnotation::new(rect, target)
                };
                if index == 2 {
                    link = link.with_border(LinkBorder::new(1.5, rgb::Color::new(200, 30, 0).into()));
                }
                let about = format!("A link of page {number}");
                let place = (22.0, rect.bottom() - 4.0);
                let group = leaf.line_as(TagGroup::new(Tag::Link), index, 12.0, place, &about);
                leaf.link(Annotation::new_link(link, Some(about)), group);
            }
        })?;
        let mut node = OutlineNode::new(format!("Chapter {number} – Κεφάλαιο"), place(usize::from(number)));
        node.push_child(OutlineNode::new("(A part)".to_owned(), place(usize::from(number))));
        book.outline.push_child(node.with_open(number % 2 == 0));
    }
    Ok(())
}

/// Structure elements: headings, a list, a table, a figure, spans in other languages, and artifacts.
pub(crate) fn tagged(book: &mut Book) -> Outcome<()> {
    book.page(|leaf| {
        // An artifact is not part of the structure tree.
        leaf.surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::PaginationOther)));
        if let Some(face) = leaf.faces.first() {
            face.set(&mut leaf.surface, 8.0, (20.0, 20.0), "A running head");
        }
        leaf.surface.end_tagged();
        for (level, y) in [(1, 50.0), (2, 80.0)] {
            let heading =
                Tag::Hn(NonZeroU16::new(level).unwrap_or(NonZeroU16::MIN), Some("Heading".to_owned()));
            let group = leaf.line_as(TagGroup::new(heading), 3, 16.0, (20.0, y), "Heading");
            leaf.parts.push(group);
        }
        let mut list = TagGroup::new(Tag::L(ListNumbering::Decimal));
        for (number, y) in [(1, 110.0), (2, 130.0)] {
            let mut item = TagGroup::new(Tag::LI);
            let label = format!("{number}.");
            item.push(leaf.line_as(TagGroup::new(Tag::Lbl), 0, 11.0, (20.0, y), &label));
            item.push(leaf.line_as(TagGroup::new(Tag::LBody), 1, 11.0, (40.0, y), "An item of the list"));
            list.push(item);
        }
        leaf.parts.push(list);
        let mut table = TagGroup::new(Tag::Table);
        for (row, y) in [(0, 170.0), (1, 190.0), (2, 210.0)] {
            let mut cells = TagGroup::new(Tag::TR);
            for (column, x) in [("a", 20.0), ("b", 80.0)] {
                let cell = if row == 0 {
                    TagGroup::new(Tag::TH(TableHeaderScope::Column))
                } else {
                    TagGroup::new(Tag::TD)
                };
                cells.push(leaf.line_as(cell, 2, 11.0, (x, y), &format!("{column}{row}")));
            }
            table.push(cells);
        }
        leaf.parts.push(table);
        let span = SpanTag::empty().with_lang(Some("de-CH")).with_actual_text(Some("Wörter"));
        let mut quote = TagGroup::new(Tag::BlockQuote.with_lang(Some("de-CH".to_owned())));
        let paragraph = leaf.marked(TagGroup::new(Tag::P), ContentTag::Span(span), |surface, faces| {
            if let Some(face) = faces.get(1) {
                face.set(surface, 12.0, (20.0, 250.0), "Wör-ter");
            }
        });
        quote.push(paragraph);
        leaf.parts.push(quote);
    })
}

pub(crate) fn attachments(book: &mut Book) -> Outcome<()> {
    let kinds = [AssociationKind::Source, AssociationKind::Data, AssociationKind::Unspecified];
    for (number, kind) in kinds.into_iter().enumerate() {
        let (name, media) = [
            ("table.csv", "text/csv"),
            ("täglich.xml", "application/xml"),
            ("raw", "application/octet-stream"),
        ]
        .get(number)
        .copied()
        .unwrap_or_default();
        let file = EmbeddedFile {
            path: name.to_owned(),
            mime_type: MimeType::new(media),
            description: Some(format!("What {name} has")),
            association_kind: kind,
            data: Data::from(format!("one,two\n{number},{media}\n").repeat(40).into_bytes()),
            modification_date: Some(DateTime::new(2023).month(7).day(1)),
            compress: Some(number == 1),
            location: None,
        };
        book.document.embed_file(file).ok_or("a file of that name is there")?;
    }
    book.page(|leaf| leaf.line(0, 12.0, (20.0, 60.0), "With files"))
}

/// Every entry of the document information, with characters that XML and PDF encode differently.
pub(crate) fn metadata(book: &mut Book) -> Outcome<()> {
    let date = DateTime::new(1999).month(12).day(31).hour(1).utc_offset_hour(5).utc_offset_minute(30);
    book.metadata = std::mem::take(&mut book.metadata)
        .title("Prices < 5 € & > 3 £ – “quoted” (part\\1) 📄".to_owned())
        .description("Zeile eins, Ärger; second line".to_owned())
        .keywords(vec!["one".to_owned(), "zwei, drei".to_owned(), "<four>".to_owned()])
        .authors(vec!["Ада Лавлейс".to_owned(), "Grace Hopper".to_owned()])
        .creator("A bench".to_owned())
        .producer("krilla & a bench".to_owned())
        .document_id("judged".to_owned())
        .text_direction(TextDirection::LeftToRight)
        .page_layout(PageLayout::TwoColumnLeft)
        .creation_date(date);
    book.page(|leaf| leaf.line(1, 12.0, (20.0, 60.0), "With metadata"))
}
