//! Adds the stamp to the XObject resources of pages, under a name that is not yet in use. The resources are the page's
//! own or the resources that the page inherits.

use crate::EngineError;
use lopdf::{Dictionary, Document, Object, ObjectId};
use std::collections::HashMap;

const NAME: &str = "RectoStamp";
/// The maximum number of parents of a page that are searched. Deeper page trees have been refused before.
const MAX_PARENTS: usize = 256;

/// Where a resource dictionary is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Location {
    /// The dictionary is an object of its own.
    Object(ObjectId),
    /// The dictionary is the value of this key in this object.
    Entry(ObjectId, &'static str),
}

/// The names under which the stamp has been added so far. Resources that several pages share get only one entry.
pub(super) struct Names {
    form: ObjectId,
    assigned: HashMap<Location, String>,
}

impl Names {
    /// Creates an empty list of names for the form XObject `form`.
    pub(super) fn new(form: ObjectId) -> Self {
        Self { form, assigned: HashMap::new() }
    }

    /// Returns the name of the form XObject on a page. If the form is missing in the page's resources, adds it first.
    ///
    /// # Errors
    /// [`EngineError::Internal`] when the page does not exist.
    pub(super) fn add_to_page(
        &mut self,
        document: &mut Document,
        page: ObjectId,
    ) -> Result<String, EngineError> {
        let location = resources_of(document, page);
        if let Some(name) = self.assigned.get(&location) {
            return Ok(name.clone());
        }
        let missing = || EngineError::Internal("a page's resources were not found".to_owned());
        let shared = dictionary_at(document, location)
            .and_then(|resources| resources.get(b"XObject").ok())
            .and_then(|value| dictionary_object(document, value));
        let xobjects = match shared {
            Some(id) => document.get_dictionary_mut(id).map_err(|_| missing())?,
            None => {
                let resources = dictionary_at_mut(document, location).ok_or_else(missing)?;
                if !matches!(resources.get(b"XObject"), Ok(Object::Dictionary(_))) {
                    resources.set("XObject", Dictionary::new());
                }
                resources.get_mut(b"XObject").and_then(Object::as_dict_mut).map_err(|_| missing())?
            }
        };
        let mut name = NAME.to_owned();
        let mut number = 1;
        while xobjects.has(name.as_bytes()) {
            number += 1;
            name = format!("{NAME}{number}");
        }
        xobjects.set(name.as_str(), self.form);
        self.assigned.insert(location, name.clone());
        Ok(name)
    }
}

/// The place where the resources of a page are stored. If the page has no resources, the place where they will be
/// stored.
fn resources_of(document: &Document, page: ObjectId) -> Location {
    let mut node = page;
    for _ in 0..MAX_PARENTS {
        let Ok(dictionary) = document.get_dictionary(node) else { break };
        match dictionary.get(b"Resources") {
            Ok(Object::Dictionary(_)) => return Location::Entry(node, "Resources"),
            Ok(value) => {
                if let Some(id) = dictionary_object(document, value) {
                    return Location::Object(id);
                }
            }
            Err(_) => {}
        }
        match dictionary.get(b"Parent").and_then(Object::as_reference) {
            Ok(parent) => node = parent,
            Err(_) => break,
        }
    }
    Location::Entry(page, "Resources")
}

/// The object that a value refers to. `None` if the value is not a reference to a dictionary.
fn dictionary_object(document: &Document, value: &Object) -> Option<ObjectId> {
    match document.dereference(value) {
        Ok((Some(id), Object::Dictionary(_))) => Some(id),
        _ => None,
    }
}

fn dictionary_at(document: &Document, location: Location) -> Option<&Dictionary> {
    match location {
        Location::Object(id) => document.get_dictionary(id).ok(),
        Location::Entry(id, key) => {
            document.get_dictionary(id).ok()?.get(key.as_bytes()).ok()?.as_dict().ok()
        }
    }
}

fn dictionary_at_mut(document: &mut Document, location: Location) -> Option<&mut Dictionary> {
    match location {
        Location::Object(id) => document.get_dictionary_mut(id).ok(),
        Location::Entry(id, key) => {
            let owner = document.get_dictionary_mut(id).ok()?;
            if !matches!(owner.get(key.as_bytes()), Ok(Object::Dictionary(_))) {
                owner.set(key, Dictionary::new());
            }
            owner.get_mut(key.as_bytes()).and_then(Object::as_dict_mut).ok()
        }
    }
}
