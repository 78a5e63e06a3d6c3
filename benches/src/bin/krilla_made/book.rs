//! A document that is being written: its fonts, its structure, and the metadata that every document gets.

use super::Outcome;
use krilla::annotation::Annotation;
use krilla::destination::XyzDestination;
use krilla::error::KrillaResult;
use krilla::geom::Point;
use krilla::metadata::{DateTime, Metadata};
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::surface::Surface;
use krilla::tagging::{ContentTag, SpanTag, Tag, TagGroup, TagTree};
use krilla::text::{Font, GlyphId, KrillaGlyph};
use krilla::{Data, Document, SerializeSettings};
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider as _};
use std::sync::Arc;

/// A font as an object of krilla, and the bytes of the font file.
#[derive(Clone)]
pub(crate) struct Face {
    pub(crate) font: Font,
    data: Arc<Vec<u8>>,
}

impl Face {
    /// Reads a font file. Returns `None` if `data` is not a font file.
    pub(crate) fn new(data: Vec<u8>) -> Option<Self> {
        let data = Arc::new(data);
        FontRef::new(&data).ok()?;
        Some(Self { font: Font::new(Data::from(data.clone()), 0)?, data })
    }

    /// The four DejaVu fonts, which are always available.
    pub(crate) fn dejavu() -> Outcome<Vec<Self>> {
        let files = [
            dejavu::sans::regular(),
            dejavu::serif::regular(),
            dejavu::sans_mono::regular(),
            dejavu::sans::bold_oblique(),
        ];
        files.into_iter().map(|file| Ok(Self::new(file.to_vec()).ok_or("no font in DejaVu")?)).collect()
    }

    /// One glyph for each character of the text, side by side. The glyph is `.notdef` if the font lacks the character.
    pub(crate) fn glyphs(&self, text: &str) -> Vec<KrillaGlyph> {
        let Ok(font) = FontRef::new(&self.data) else { return Vec::new() };
        let characters = font.charmap();
        let metrics = font.glyph_metrics(Size::unscaled(), LocationRef::default());
        text.char_indices()
            .map(|(at, character)| {
                let glyph = characters.map(character).unwrap_or_default();
                let advance = metrics.advance_width(glyph).unwrap_or_default() / self.font.units_per_em();
                let range = at..at + character.len_utf8();
                KrillaGlyph::new(GlyphId::new(glyph.to_u32()), advance, 0.0, 0.0, 0.0, range, None)
            })
            .collect()
    }

    /// Draws a line of text.
    pub(crate) fn set(&self, surface: &mut Surface<'_>, size: f32, at: (f32, f32), text: &str) {
        let glyphs = self.glyphs(text);
        surface.draw_glyphs(Point::from_xy(at.0, at.1), &glyphs, self.font.clone(), text, size, false);
    }
}

/// A document that is being written.
pub(crate) struct Book {
    pub(crate) document: Document,
    pub(crate) faces: Vec<Face>,
    /// The groups that the structure tree contains so far.
    pub(crate) parts: Vec<TagGroup>,
    pub(crate) metadata: Metadata,
    pub(crate) outline: Outline,
}

impl Book {
    /// A document with a title, a date, a language and a bookmark.
    pub(crate) fn new(settings: SerializeSettings, faces: &[Face], title: &str) -> Self {
        let date = DateTime::new(2024).month(2).day(29).hour(23).minute(59).second(1).utc_offset_hour(-3);
        let metadata = Metadata::new()
            .title(format!("A document of {title}"))
            .language("en".to_owned())
            .creation_date(date);
        let mut outline = Outline::new();
        outline
            .push_child(OutlineNode::new(title.to_owned(), XyzDestination::new(0, Point::from_xy(0.0, 0.0))));
        let document = Document::new_with(settings);
        Self { document, faces: faces.to_vec(), parts: Vec::new(), metadata, outline }
    }

    /// The font with this number. A number that is too large starts again at the first font.
    pub(crate) fn face(&self, number: usize) -> Face {
        let face = self.faces.get(number % self.faces.len());
        face.or(self.faces.first()).cloned().unwrap_or_else(|| unreachable!("there is always DejaVu"))
    }

    /// Adds a page of size A5; `draw` draws its content.
    pub(crate) fn page(&mut self, draw: impl FnOnce(&mut Leaf<'_>)) -> Outcome<()> {
        self.page_of(settings(420.0, 595.0)?, draw);
        Ok(())
    }

    /// Adds a page with these settings; `draw` draws its content.
    pub(crate) fn page_of(&mut self, settings: PageSettings, draw: impl FnOnce(&mut Leaf<'_>)) {
        let mut page = self.document.start_page_with(settings);
        let (parts, links) = {
            let surface = page.surface();
            let mut leaf = Leaf { surface, faces: &self.faces, parts: Vec::new(), links: Vec::new() };
            draw(&mut leaf);
            leaf.surface.finish();
            (leaf.parts, leaf.links)
        };
        self.parts.extend(parts);
        for (annotation, mut group) in links {
            group.push(page.add_tagged_annotation(annotation));
            self.parts.push(group);
        }
        page.finish();
    }

    /// Writes the document and returns the file. Fails with krilla's reason if krilla refuses to write the document.
    pub(crate) fn finish(mut self) -> KrillaResult<Vec<u8>> {
        let mut tree = TagTree::new().with_lang(Some("en".to_owned()));
        let mut whole = TagGroup::new(Tag::Section);
        self.parts.drain(..).for_each(|part| whole.push(part));
        tree.push(whole);
        self.document.set_tag_tree(tree);
        self.document.set_metadata(self.metadata);
        self.document.set_outline(self.outline);
        self.document.finish()
    }
}

/// The settings of a page of this size, in points.
pub(crate) fn settings(width: f32, height: f32) -> Outcome<PageSettings> {
    Ok(PageSettings::from_wh(width, height).ok_or("no such size")?)
}

/// A page that is being drawn.
pub(crate) struct Leaf<'a> {
    pub(crate) surface: Surface<'a>,
    pub(crate) faces: &'a [Face],
    pub(crate) parts: Vec<TagGroup>,
    links: Vec<(Annotation, TagGroup)>,
}

impl Leaf<'_> {
    /// Calls `draw`, marks the content that it draws with `tag`, and adds that content to `group`. Returns the group.
    pub(crate) fn marked(
        &mut self,
        mut group: TagGroup,
        tag: ContentTag<'_>,
        draw: impl FnOnce(&mut Surface<'_>, &[Face]),
    ) -> TagGroup {
        let mark = self.surface.start_tagged(tag);
        draw(&mut self.surface, self.faces);
        self.surface.end_tagged();
        group.push(mark);
        group
    }

    /// Draws a line of text and adds it to the group, whose tag can be a heading or a table cell. Returns the group.
    pub(crate) fn line_as(
        &mut self,
        group: TagGroup,
        face: usize,
        size: f32,
        at: (f32, f32),
        text: &str,
    ) -> TagGroup {
        self.marked(group, ContentTag::Span(SpanTag::empty()), |surface, faces| {
            if let Some(face) = faces.get(face % faces.len()) {
                face.set(surface, size, at, text);
            }
        })
    }

    /// Draws a paragraph of one line.
    pub(crate) fn line(&mut self, face: usize, size: f32, at: (f32, f32), text: &str) {
        let group = self.line_as(TagGroup::new(Tag::P), face, size, at, text);
        self.parts.push(group);
    }

    /// Draws a figure with an alternate text.
    pub(crate) fn figure(&mut self, about: &str, draw: impl FnOnce(&mut Surface<'_>)) {
        let group = TagGroup::new(Tag::Figure(Some(about.to_owned())));
        let group = self.marked(group, ContentTag::Other, |surface, _| draw(surface));
        self.parts.push(group);
    }

    /// Adds a link annotation. `group` is the structure group of the text that the link covers.
    pub(crate) fn link(&mut self, annotation: Annotation, group: TagGroup) {
        self.links.push((annotation, group));
    }
}
