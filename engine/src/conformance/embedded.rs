//! Checks the files that are embedded in a PDF/A-2 document. Each embedded file must itself be PDF/A-1 or PDF/A-2.
//!
//! The validator checks the embedded files of file specifications that are indirect objects. This check covers direct
//! file specifications, which are written within other objects such as the name tree.

use super::finding::Finding;
use super::rules;
use crate::document::{Budget, decode, for_each_dictionary};
use crate::{EngineError, Job};
use lopdf::{Document, Object, ObjectId};
use std::collections::BTreeMap;

/// A function that returns whether a file conforms to level B of a part of PDF/A. The number is the part.
pub(super) type Conforms<'a> = dyn Fn(&[u8], u8) -> Result<bool, EngineError> + 'a;

/// The embedded files that are not PDF/A. `conforms` checks a file against level B of a part.
///
/// # Errors
/// The job was cancelled or is out of time.
pub(super) fn check(
    document: &Document,
    conforms: &Conforms<'_>,
    job: &Job,
) -> Result<Vec<Finding>, EngineError> {
    // The embedded files. The value is an object that contains a file specification of the embedded file.
    let mut files: BTreeMap<ObjectId, ObjectId> = BTreeMap::new();
    for (id, object) in &document.objects {
        let own = object.as_dict().ok();
        for_each_dictionary(object, &mut |dict| {
            if own.is_some_and(|own| std::ptr::eq(own, dict)) {
                return;
            }
            let Ok(embedded) = dict.get_deref(b"EF", document).and_then(Object::as_dict) else { return };
            for key in [&b"F"[..], b"UF"] {
                if let Ok(file) = embedded.get(key).and_then(Object::as_reference) {
                    files.entry(file).or_insert(*id);
                }
            }
        });
    }
    let budget = Budget::of(job);
    let mut findings = Vec::new();
    for (file, holder) in files {
        job.proceed()?;
        if !is_archive(document, file, conforms, &budget, job)? {
            findings.push(
                Finding::of(rules::sentence(2, "6.8", "5"))
                    .clause(rules::clause(2, "6.8"))
                    .rule("6.8-5")
                    .at(format!("object {}", holder.0)),
            );
        }
    }
    Ok(findings)
}

/// Whether an embedded file is PDF/A-1 or PDF/A-2. `false` if the file cannot be read.
fn is_archive(
    document: &Document,
    file: ObjectId,
    conforms: &Conforms<'_>,
    budget: &Budget,
    job: &Job,
) -> Result<bool, EngineError> {
    let Ok(stream) = document.get_object(file).and_then(Object::as_stream) else { return Ok(false) };
    let data = match decode(document, stream, budget) {
        Ok(Some(decoded)) => decoded.data,
        Ok(None) | Err(_) => return job.proceed().map(|()| false),
    };
    if !data.starts_with(b"%PDF-") {
        return Ok(false);
    }
    for part in [1, 2] {
        if conforms(&data, part)? {
            return Ok(true);
        }
    }
    Ok(false)
}
