//! A service for tests that counts how often each document is uploaded, processed, downloaded and deleted.
#![allow(clippy::unwrap_used, reason = "a failing helper fails its test")]

use super::{Reply, Request, Server};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The records of the server. The identifier of a file or operation contains the name of its document.
#[derive(Default)]
pub struct Books {
    /// How often each document was uploaded, how often an operation on it was started, how often it was downloaded.
    pub uploads: BTreeMap<String, usize>,
    pub starts: BTreeMap<String, usize>,
    pub fetches: BTreeMap<String, usize>,
    pub files: BTreeMap<String, Vec<u8>>,
    pub deleted: BTreeSet<String>,
}

/// A service and its records. `refuse` decides whether the service responds to a request with 429.
pub fn service(
    refuse: impl Fn(&Request, usize) -> bool + Send + Sync + 'static,
) -> (Server, Arc<Mutex<Books>>) {
    let books = Arc::new(Mutex::new(Books::default()));
    let (known, port) = (Arc::clone(&books), Arc::new(AtomicUsize::new(0)));
    let at = Arc::clone(&port);
    let next = AtomicU64::new(0);
    let server = Server::start(move |request, number| {
        if refuse(request, number) {
            return Reply::Answer(429, vec![("retry-after", "0".to_owned())], Vec::new());
        }
        let mut books = known.lock().unwrap();
        let base = format!("http://127.0.0.1:{}", at.load(Ordering::Relaxed));
        let path: Vec<&str> = request.target.split('/').collect();
        let text = String::from_utf8_lossy(&request.body).into_owned();
        match (request.method.as_str(), path.as_slice()) {
            ("POST", ["", "v1", "files", "upload", "fromUrl"]) => {
                let address = text.split('"').nth(3).unwrap();
                let name = address.rsplit('/').next().unwrap().split('?').next().unwrap();
                let id = format!("{}~{name}", next.fetch_add(1, Ordering::Relaxed));
                *books.uploads.entry(name.to_owned()).or_default() += 1;
                books.files.insert(id.clone(), b"%PDF-1.7 imported".to_vec());
                Reply::json(200, format!(r#"{{"fileId":"{id}"}}"#))
            }
            ("POST", ["", "v1", "files", ..]) => {
                let name = text.split('"').nth(3).unwrap().to_owned();
                let id = format!("{}~{name}", next.fetch_add(1, Ordering::Relaxed));
                Reply::json(200, format!(r#"{{"fileId":"{id}","uploadUrl":"{base}/u/{id}"}}"#))
            }
            ("PUT", ["", "u", id]) => {
                *books.uploads.entry(name_of(id)).or_default() += 1;
                books.files.insert((*id).to_owned(), request.body.clone());
                Reply::status(200)
            }
            ("POST", ["", "v1", "operations", kind]) => {
                let id = text.split('"').nth(5).unwrap().to_owned();
                if !books.files.contains_key(&id) {
                    return Reply::json(400, r#"{"title":"no such file"}"#);
                }
                *books.starts.entry(name_of(&id)).or_default() += 1;
                Reply::json(200, format!(r#"{{"operationId":"{kind}~{id}","operationStatus":"inProgress"}}"#))
            }
            ("GET", ["", "v1", "operations", operation, "result"]) => {
                let (kind, id) = operation.split_once("~").or_else(|| operation.split_once("%7E")).unwrap();
                match name_of(id).as_str() {
                    "bad.pdf" => Reply::json(200, r#"{"operationStatus":"failed","error":{"title":"no"}}"#),
                    "slow.pdf" => Reply::json(200, r#"{"operationStatus":"inProgress"}"#),
                    _ if kind == "validate" => Reply::json(
                        200,
                        r#"{"operationStatus":"finished","validation":{"isConforming":false,"errors":["e"]}}"#,
                    ),
                    name => Reply::json(
                        200,
                        format!(
                            r#"{{"operationStatus":"finished","outputFile":{{"fileId":"r~{name}",
                            "name":"{name}","url":"{base}/d/{id}"}}}}"#
                        ),
                    ),
                }
            }
            ("GET", ["", "d", id]) => {
                *books.fetches.entry(name_of(id)).or_default() += 1;
                match books.files.get(*id) {
                    Some(body) => Reply::Answer(200, Vec::new(), body.clone()),
                    None => Reply::status(404),
                }
            }
            ("DELETE", ["", "v1", "files", id]) => {
                books.deleted.insert((*id).to_owned());
                books.files.remove(*id);
                Reply::json(200, r#"{"files":[]}"#)
            }
            _ => Reply::status(405),
        }
    });
    port.store(server.port.into(), Ordering::Relaxed);
    (server, books)
}

fn name_of(id: &str) -> String {
    id.rsplit(['~', '/']).next().unwrap().rsplit("%7E").next().unwrap().to_owned()
}
