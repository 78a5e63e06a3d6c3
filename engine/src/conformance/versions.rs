//! Checks a document against a version of PDF. The document must not declare a later version, the entries of its
//! dictionaries must follow the grammar, and before PDF 1.5 the file must not have object streams or cross-reference
//! streams.

use super::declared;
use super::finding::Finding;
use super::grammar::{Entry, Kind, Link, kinds};
use super::standard::Version;
use crate::document::{inherited, pages, resolved};
use crate::{EngineError, Job};
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::HashSet;

/// Checks a document against a version.
///
/// # Errors
/// A limit was exceeded, or the job was cancelled.
pub(super) fn check(
    document: &Document,
    bytes: &[u8],
    version: Version,
    job: &Job,
) -> Result<Vec<Finding>, EngineError> {
    let mut walk = Walk { document, version, findings: Vec::new(), seen: HashSet::new(), todo: Vec::new() };
    if let Some(claimed) = declared::version(Some(document), bytes).filter(|claimed| *claimed > version) {
        walk.findings.push(
            Finding::of(format!(
                "The document declares PDF {}, which is later than {}",
                claimed.text(),
                version.text()
            ))
            .clause("ISO 32000-1, 7.5.2"),
        );
    }
    walk.containers();
    walk.pages(job)?;
    walk.dictionary(&document.trailer, "Trailer", "the trailer");
    while let Some((id, kind)) = walk.todo.pop() {
        job.proceed()?;
        let dict = match document.get_object(id) {
            Ok(Object::Dictionary(dict)) => dict,
            Ok(Object::Stream(stream)) => &stream.dict,
            _ => continue,
        };
        walk.dictionary(dict, kind, &format!("object {}", id.0));
    }
    Ok(walk.findings)
}

struct Walk<'a> {
    document: &'a Document,
    version: Version,
    findings: Vec<Finding>,
    seen: HashSet<(ObjectId, &'static str)>,
    todo: Vec<(ObjectId, &'static str)>,
}

impl<'a> Walk<'a> {
    /// Reports object streams and cross-reference streams if the version is earlier than PDF 1.5, which introduced
    /// them.
    fn containers(&mut self) {
        if self.version >= Version::V15 {
            return;
        }
        for (kind, what) in [
            (&b"ObjStm"[..], "The file has an object stream"),
            (b"XRef", "The file has a cross-reference stream"),
        ] {
            let found = self
                .document
                .objects
                .iter()
                .find(|(_, object)| object.as_stream().is_ok_and(|stream| stream.dict.has_type(kind)));
            if let Some((id, _)) = found {
                self.findings.push(
                    Finding::of(format!("{what}, which was introduced with PDF 1.5"))
                        .at(format!("object {}", id.0))
                        .clause("ISO 32000-1, 7.5.7 and 7.5.8"),
                );
            }
        }
    }

    /// Checks the attributes that a page must have or inherit from the page tree.
    fn pages(&mut self, job: &Job) -> Result<(), EngineError> {
        for (index, page) in pages(self.document, job.limits())?.into_iter().enumerate() {
            job.proceed()?;
            let place = format!("page {}", index + 1);
            for (key, wanted) in
                [(&b"MediaBox"[..], "a size (MediaBox)"), (b"Resources", "resources (Resources)")]
            {
                if inherited(self.document, page, key).is_none() {
                    self.findings.push(
                        Finding::of(format!("A page neither has nor inherits {wanted}"))
                            .at(&place)
                            .clause("ISO 32000-1, 7.7.3.3"),
                    );
                }
            }
            let rotation = inherited(self.document, page, b"Rotate").and_then(|angle| angle.as_i64().ok());
            if rotation.is_some_and(|angle| angle % 90 != 0) {
                self.findings.push(
                    Finding::of("The rotation of a page (Rotate) is not a multiple of 90 degrees")
                        .at(place)
                        .clause("ISO 32000-1, 7.7.3.3"),
                );
            }
        }
        Ok(())
    }

    fn dictionary(&mut self, dict: &Dictionary, name: &'static str, place: &str) {
        let Some(kind) = kinds().get(name) else { return };
        self.entries(dict, name, kind, place);
        let value = kind.by.and_then(|key| dict.get(key.as_bytes()).ok()).and_then(|value| self.plain(value));
        let value = match value {
            Some(Object::Name(value)) => String::from_utf8_lossy(value).into_owned(),
            Some(Object::Integer(value)) => value.to_string(),
            // A structure element may omit its type.
            _ if name == "StructElem" => "StructElem".to_owned(),
            _ => return,
        };
        if let Some((name, kind)) = kinds().get_key_value(format!("{name}:{value}").as_str()) {
            self.entries(dict, name, kind, place);
        }
    }

    fn entries(&mut self, dict: &Dictionary, name: &'static str, kind: &Kind, place: &str) {
        for entry in &kind.entries {
            let raw = dict.get(entry.key.as_bytes()).ok();
            match (raw, raw.and_then(|raw| self.plain(raw))) {
                (Some(raw), Some(value)) if !value.is_null() => self.value(raw, value, entry, name, place),
                _ if entry.required && entry.since.is_none_or(|since| since <= self.version) => {
                    self.add(format!("{} lacks the entry {}", title(name), entry.key), place);
                }
                _ => {}
            }
        }
    }

    fn value(&mut self, raw: &Object, value: &Object, entry: &Entry, name: &'static str, place: &str) {
        let subject = || format!("{} has the entry {}", title(name), entry.key);
        if let Some(since) = entry.since.filter(|since| *since > self.version) {
            self.add(format!("{}, which was introduced with PDF {}", subject(), since.text()), place);
        }
        if !entry.types.contains(type_letters(value)) && !entry.types.contains('x') {
            self.add(format!("{}, whose value is not {}", subject(), type_names(entry.types)), place);
            return;
        }
        if entry.indirect && !matches!(raw, Object::Reference(_)) {
            self.add(format!("{}, whose value must be an indirect object", subject()), place);
        }
        if let (Some(count), Object::Array(items)) = (entry.elements, value)
            && items.len() != count
        {
            self.add(
                format!("{}, whose array has {} elements instead of {count}", subject(), items.len()),
                place,
            );
        }
        if !entry.names.is_empty() {
            self.names(value, entry, name, place);
        }
        match entry.of {
            Some(Link::Each(kind)) => self.follow(raw, kind, place, 0),
            Some(Link::Values(kind)) => {
                if let Object::Dictionary(values) = value {
                    for (_, value) in values {
                        self.follow(value, kind, place, 0);
                    }
                }
            }
            None => {}
        }
    }

    fn names(&mut self, value: &Object, entry: &Entry, name: &'static str, place: &str) {
        let found = match value {
            Object::Array(items) => items.iter().collect(),
            one => vec![one],
        };
        for found in found {
            let Some(Object::Name(text)) = self.plain(found) else { continue };
            let known = entry.names.iter().find(|(name, _)| name.as_bytes() == text.as_slice());
            let text = String::from_utf8_lossy(text);
            let shown: String = text.chars().take(40).collect();
            let subject = format!("{}: the value {shown} of {}", title(name), entry.key);
            match known {
                None => self.add(format!("{subject} is not defined in PDF"), place),
                Some((_, Some(since))) if *since > self.version => {
                    self.add(format!("{subject} was introduced with PDF {}", since.text()), place);
                }
                Some(_) => {}
            }
        }
    }

    /// Checks the dictionaries in a value. Direct dictionaries are checked at once. Indirect dictionaries are added to
    /// `todo`, to be checked later.
    fn follow(&mut self, value: &Object, kind: &'static str, place: &str, depth: usize) {
        const DEEPEST: usize = 50;
        match value {
            Object::Reference(id) => match self.document.get_object(*id) {
                Ok(Object::Array(items)) if depth < DEEPEST && self.seen.insert((*id, kind)) => {
                    items.iter().for_each(|item| self.follow(item, kind, place, depth + 1));
                }
                Ok(Object::Dictionary(_) | Object::Stream(_)) if self.seen.insert((*id, kind)) => {
                    self.todo.push((*id, kind));
                }
                _ => {}
            },
            Object::Array(items) if depth < DEEPEST => {
                items.iter().for_each(|item| self.follow(item, kind, place, depth + 1));
            }
            Object::Dictionary(dict) if depth < DEEPEST => self.dictionary(dict, kind, place),
            _ => {}
        }
    }

    fn plain<'b>(&self, object: &'b Object) -> Option<&'b Object>
    where
        'a: 'b,
    {
        resolved(self.document, object)
    }

    fn add(&mut self, text: String, place: &str) {
        self.findings.push(Finding::of(text).at(place));
    }
}

/// The letters that the grammar uses for the type of an object. An integer has two letters, because an integer is also
/// a number.
fn type_letters(object: &Object) -> &'static [char] {
    match object {
        Object::Boolean(_) => &['b'],
        Object::Integer(_) => &['i', 'n'],
        Object::Real(_) => &['n'],
        Object::Name(_) => &['N'],
        Object::String(..) => &['s'],
        Object::Array(_) => &['a'],
        Object::Dictionary(_) => &['d'],
        Object::Stream(_) => &['t'],
        Object::Null | Object::Reference(_) => &[],
    }
}

/// The types that the letters mean, in words: `a name or an array`.
fn type_names(types: &str) -> String {
    let words: Vec<&str> = types
        .chars()
        .map(|letter| match letter {
            'b' => "a boolean",
            'i' => "an integer",
            'n' => "a number",
            'N' => "a name",
            's' => "a string",
            'd' => "a dictionary",
            't' => "a stream",
            'a' => "an array",
            _ => "anything",
        })
        .collect();
    words.join(" or ")
}

/// The name of a kind of dictionary, in the form for the start of a sentence.
fn title(kind: &str) -> String {
    match kind.split_once(':') {
        Some(("PageNode", "Page")) => "A page".to_owned(),
        Some(("PageNode", _)) => "A node of the page tree".to_owned(),
        Some(("XObject", subkind)) => format!("An XObject of the type {subkind}"),
        Some(("Annot", subkind)) => format!("An annotation of the type {subkind}"),
        Some(("Action", subkind)) => format!("An action of the type {subkind}"),
        Some((kind, subkind)) => format!("A {} of the type {subkind}", kind.to_lowercase()),
        None => match kind {
            "Trailer" => "The trailer".to_owned(),
            "Info" => "The document information".to_owned(),
            "Catalog" => "The catalog".to_owned(),
            "Pages" => "The page tree".to_owned(),
            "PageNode" => "A node of the page tree".to_owned(),
            "Annot" => "An annotation".to_owned(),
            "Resources" => "A dictionary of resources".to_owned(),
            "ExtGState" => "A graphics state".to_owned(),
            "FontDescriptor" => "A font descriptor".to_owned(),
            "StructElem" => "A structure element".to_owned(),
            "StructTreeRoot" => "The structure tree".to_owned(),
            "AcroForm" => "The form".to_owned(),
            "Field" => "A form field".to_owned(),
            "Outline" => "An outline item".to_owned(),
            other if other.starts_with(['A', 'E', 'I', 'O']) => format!("An {other} dictionary"),
            other => format!("A {other} dictionary"),
        },
    }
}
