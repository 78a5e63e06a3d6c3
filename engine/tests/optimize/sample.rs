//! Builds documents for the tests of `optimize`.

use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use recto_engine::{Input, Job, Output, OutputFile, run};
use recto_interface::Options;
use recto_interface::options::{OptimizeOptions, Profile};

pub(crate) const PROFILES: [Profile; 4] =
    [Profile::Web, Profile::Archive, Profile::Print, Profile::MinimalFileSize];

/// The result of `optimize` with this profile.
pub(crate) fn optimized(bytes: &[u8], profile: Profile) -> OutputFile {
    let options = Options::Optimize(OptimizeOptions { profile: Some(profile) });
    match run(&options, Input { bytes, name: "sample.pdf" }, &Job::default()) {
        Ok(Output::File(file)) => file,
        other => panic!("{other:?}"),
    }
}

/// A document of one A5 page that is being built, with named resources and a content.
pub(crate) struct Sample {
    pub(crate) document: Document,
    pub(crate) page: ObjectId,
    pub(crate) catalog: ObjectId,
    resources: Dictionary,
    content: String,
}

impl Sample {
    pub(crate) fn new() -> Self {
        let mut document = Document::with_version("1.4");
        let tree = document.new_object_id();
        let page = document.add_object(dictionary! {
            "Type" => "Page", "Parent" => tree, "MediaBox" => vec![0.into(), 0.into(), 420.into(), 595.into()]
        });
        document.objects.insert(
            tree,
            dictionary! { "Type" => "Pages", "Kids" => vec![page.into()], "Count" => 1 }.into(),
        );
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
        document.trailer.set("Root", catalog);
        Self { document, page, catalog, resources: Dictionary::new(), content: String::new() }
    }

    /// Adds an object to the document, and to the resources of the page under this name.
    pub(crate) fn name(&mut self, category: &str, name: &str, object: impl Into<Object>) -> ObjectId {
        let id = self.document.add_object(object);
        if !self.resources.has(category.as_bytes()) {
            self.resources.set(category, Dictionary::new());
        }
        self.resources.get_mut(category.as_bytes()).and_then(Object::as_dict_mut).unwrap().set(name, id);
        id
    }

    pub(crate) fn draw(&mut self, content: &str) {
        self.content.push_str(content);
        self.content.push('\n');
    }

    /// The finished file, without compression.
    pub(crate) fn bytes(mut self) -> Vec<u8> {
        let content = self.document.add_object(Stream::new(Dictionary::new(), self.content.into_bytes()));
        let page = self.document.get_dictionary_mut(self.page).unwrap();
        page.set("Contents", content);
        page.set("Resources", self.resources);
        let mut bytes = Vec::new();
        self.document.save_to(&mut bytes).unwrap();
        bytes
    }
}

/// Pseudo-random noise, the same in every run.
pub(crate) fn noise(seed: usize) -> u8 {
    let mut value = u32::try_from(seed % 1_000_003).unwrap().wrapping_mul(2_654_435_761).wrapping_add(12_345);
    value ^= value >> 13;
    value = value.wrapping_mul(1_274_126_177);
    value.to_be_bytes()[1]
}

/// Image samples that resemble a photograph: soft shapes with some noise.
pub(crate) fn photograph(width: usize, height: usize, channels: usize) -> Vec<u8> {
    let mut data = Vec::with_capacity(width * height * channels);
    for y in 0..height {
        for x in 0..width {
            for channel in 0..channels {
                #[expect(clippy::cast_precision_loss, reason = "a picture")]
                let (x, y, c) = (x as f64 / width as f64, y as f64 / height as f64, channel as f64);
                let value = 128.0
                    + 70.0 * (7.0 * x + 2.0 * c).sin() * (5.0 * y - c).cos()
                    + 25.0 * (19.0 * x * y).sin();
                let grain = f64::from(noise(data.len()) % 8) - 4.0;
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
                data.push((value + grain).clamp(0.0, 255.0) as u8);
            }
        }
    }
    data
}

pub(crate) fn image(
    width: usize,
    height: usize,
    space: impl Into<Object>,
    bits: i64,
    data: Vec<u8>,
) -> Stream {
    let (width, height) = (i64::try_from(width).unwrap(), i64::try_from(height).unwrap());
    Stream::new(
        dictionary! {
            "Type" => "XObject", "Subtype" => "Image", "Width" => width, "Height" => height,
            "ColorSpace" => space, "BitsPerComponent" => bits
        },
        data,
    )
}

/// The dictionaries of all images in a document.
pub(crate) fn images(bytes: &[u8]) -> Vec<Dictionary> {
    let document = Document::load_mem(bytes).unwrap();
    let is_image =
        |dict: &Dictionary| dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Image");
    document
        .objects
        .values()
        .filter_map(|object| object.as_stream().ok())
        .map(|stream| stream.dict.clone())
        .filter(is_image)
        .collect()
}

pub(crate) fn number(dict: &Dictionary, key: &str) -> i64 {
    dict.get(key.as_bytes()).and_then(Object::as_i64).unwrap()
}

pub(crate) fn word(dict: &Dictionary, key: &str) -> String {
    dict.get(key.as_bytes())
        .and_then(Object::as_name)
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .unwrap_or_default()
}
