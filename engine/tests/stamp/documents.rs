//! Builds documents with unusual pages: unusual geometry, an unbalanced graphics state, or an unusual page tree.

use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

/// A document that is being built page by page.
pub(crate) struct Builder {
    pub(crate) document: Document,
    pub(crate) tree: ObjectId,
    kids: Vec<Object>,
}

/// Content that covers the page with colours and shapes, so that a comparison finds content that is moved or hidden.
pub(crate) const PICTURE: &str = "q 0.8 0.9 1 rg -2000 -2000 6000 6000 re f 0.2 0.5 0.3 rg 20 30 60 40 re f \
    1 0 0 RG 3 w 0 0 m 300 400 l S BT /F1 18 Tf 40 150 Td (Existing text) Tj ET Q";

impl Builder {
    /// Starts a document whose pages inherit the resources and the media box from the page tree.
    pub(crate) fn new(version: &str) -> Self {
        let mut document = Document::with_version(version);
        let tree = document.new_object_id();
        Self { document, tree, kids: Vec::new() }
    }

    /// Adds a page with this content. `page` contains the other entries of the page dictionary.
    pub(crate) fn page(&mut self, content: &str, page: Dictionary) -> ObjectId {
        let content = self.stream(content.as_bytes());
        self.page_of(content.into(), page)
    }

    /// Adds a page with this value of the entry `Contents`. `page` contains the other entries of the page dictionary.
    pub(crate) fn page_of(&mut self, contents: Object, mut page: Dictionary) -> ObjectId {
        page.set("Type", "Page");
        page.set("Parent", self.tree);
        page.set("Contents", contents);
        let id = self.document.add_object(page);
        self.kids.push(id.into());
        id
    }

    /// Adds a content stream.
    pub(crate) fn stream(&mut self, content: &[u8]) -> ObjectId {
        self.document.add_object(Stream::new(Dictionary::new(), content.to_vec()))
    }

    /// The resources that [`PICTURE`] needs.
    pub(crate) fn resources() -> Dictionary {
        dictionary! { "Font" => dictionary! {
            "F1" => dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" }
        } }
    }

    /// Writes the document and returns the file.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.finish_with(|_, _| {})
    }

    /// Writes the document and returns the file. `change` can change the document and its catalog before the file is
    /// written.
    pub(crate) fn finish_with(mut self, change: impl FnOnce(&mut Document, &mut Dictionary)) -> Vec<u8> {
        let count = i64::try_from(self.kids.len()).unwrap();
        let tree = dictionary! {
            "Type" => "Pages", "Kids" => self.kids, "Count" => count,
            "MediaBox" => numbers([0, 0, 300, 400]), "Resources" => Self::resources()
        };
        self.document.objects.insert(self.tree, tree.into());
        let mut catalog = dictionary! { "Type" => "Catalog", "Pages" => self.tree };
        change(&mut self.document, &mut catalog);
        let root = self.document.add_object(catalog);
        self.document.trailer.set("Root", root);
        if self.document.version.as_str() < "1.5" {
            self.document.reference_table.cross_reference_type = lopdf::xref::XrefType::CrossReferenceTable;
        }
        let mut bytes = Vec::new();
        self.document.save_to(&mut bytes).unwrap();
        bytes
    }
}

/// A PDF array of these integers.
pub(crate) fn numbers<const N: usize>(values: [i64; N]) -> Object {
    Object::Array(values.map(Object::Integer).to_vec())
}

/// A document of one page with 300 x 400 points.
pub(crate) fn plain() -> Vec<u8> {
    let mut builder = Builder::new("1.4");
    builder.page(PICTURE, Dictionary::new());
    builder.finish()
}

/// A document with pages of many geometries, and the user unit of each page. Poppler ignores user units.
pub(crate) fn geometries() -> (Vec<u8>, Vec<f64>) {
    let mut builder = Builder::new("1.7");
    let mut units = Vec::new();
    for rotate in [0, 90, 180, 270, -90, 450] {
        for extra in [
            dictionary! {},
            dictionary! { "MediaBox" => numbers([-100, -50, 250, 500]) },
            dictionary! { "CropBox" => numbers([50, 60, 280, 390]) },
            dictionary! { "MediaBox" => numbers([300, 400, 0, 0]), "CropBox" => numbers([-50, 100, 200, 430]) },
            dictionary! { "UserUnit" => 2 },
        ] {
            units.push(extra.get(b"UserUnit").and_then(Object::as_i64).map_or(1.0, |unit| unit as f64));
            let mut page = extra;
            page.set("Rotate", rotate);
            builder.page(PICTURE, page);
        }
    }
    (builder.finish(), units)
}

/// A document whose pages have an unbalanced graphics state or incomplete content. Viewers show these pages anyway.
pub(crate) fn disorders() -> Vec<u8> {
    let mut builder = Builder::new("1.4");
    for content in [
        // The content changes the transformation, the clip and the colour, and never restores the graphics state.
        "2 0 0 2 30 30 cm 0 0 50 50 re W n 1 0 0 rg 10 10 100 100 re f".to_owned(),
        "q q q 0.5 0 0 0.5 100 100 cm 1 0 1 rg 0 0 80 80 re f".to_owned(),
        // The content ends within a text object and marked content, or within a path.
        format!("{PICTURE} /P <</MCID 0>> BDC BT /F1 12 Tf 50 50 Td (open) Tj"),
        format!("{PICTURE} 10 10 m 200 200 l"),
        // The content sets the text rendering mode to invisible and leaves it so.
        "BT 3 Tr 50 Tz /F1 12 Tf 10 10 Td (hidden) Tj ET 0.3 g 0 0 40 40 re f".to_owned(),
        // The content ends within a string, or within a comment.
        format!("{PICTURE} BT /F1 12 Tf 50 50 Td (cut o"),
        format!("{PICTURE} % a comment without an end"),
        // An inline image whose data looks like operators.
        "q 40 0 0 40 50 50 cm BI /W 2 /H 2 /BPC 8 /CS /G ID q(Q\nEI Q 1 0 0 rg 5 5 9 9 re f".to_owned(),
    ] {
        // The background is coloured, so that light modules of QR codes are visible too.
        let ground = "q 0.8 0.9 1 rg -2000 -2000 6000 6000 re f Q";
        builder.page(&format!("{ground} {content}"), Dictionary::new());
    }
    builder.finish()
}

/// A document with pages whose objects are arranged in unusual ways.
pub(crate) fn structures() -> Vec<u8> {
    let mut builder = Builder::new("1.5");
    let shared = builder.stream(PICTURE.as_bytes());
    // Two pages that share one content stream and one resource dictionary.
    let mut resources = Builder::resources();
    let xobjects =
        builder.document.add_object(dictionary! { "RectoStamp" => Object::Null, "Im" => Object::Null });
    resources.set("XObject", xobjects);
    let resources = builder.document.add_object(resources);
    for _ in 0..2 {
        builder.page_of(shared.into(), dictionary! { "Resources" => resources });
    }
    // Pages whose content consists of several streams.
    let head = builder.stream(b"q 0.8 0.9 1 rg 0 0 300 400 re");
    let tail = builder.stream(b"f 1 0 0 rg 20 30 60 40 re f Q");
    let parts: Vec<Object> = vec![head.into(), tail.into()];
    builder.page_of(parts.clone().into(), Dictionary::new());
    let parts = builder.document.add_object(Object::Array(parts));
    builder.page_of(parts.into(), Dictionary::new());
    // Pages without content.
    builder.page_of(Object::Null, Dictionary::new());
    builder.page_of(Object::Array(Vec::new()), dictionary! { "Resources" => Dictionary::new() });
    // A page whose resources already contain the names that stamps get.
    let mut taken = Builder::resources();
    let form = Stream::new(
        dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => numbers([0, 0, 50, 50]) },
        b"1 0 0 rg 0 0 50 50 re f".to_vec(),
    );
    let form = builder.document.add_object(form);
    taken.set("XObject", dictionary! { "RectoStamp" => form, "RectoStamp2" => form });
    builder.page("q 1 0 0 1 200 20 cm /RectoStamp Do Q", dictionary! { "Resources" => taken });
    // An intermediate node of the page tree with a rotation, and a page that inherits the rotation.
    let node = builder.document.new_object_id();
    let leaf =
        builder.document.add_object(dictionary! { "Type" => "Page", "Parent" => node, "Contents" => shared });
    builder.document.objects.insert(
        node,
        dictionary! {
            "Type" => "Pages", "Parent" => builder.tree, "Kids" => vec![leaf.into()], "Count" => 1, "Rotate" => 90
        }
        .into(),
    );
    builder.kids.push(node.into());
    builder.finish()
}
