//! The bodies of requests and responses. A scenario gives a body in one of several fields.

use crate::scenario::{Request, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::path::{Path, PathBuf};

/// The folders with body files: files in `bodies/` belong to the recordings, files in `in/` belong to a run.
#[derive(Clone, Debug)]
pub struct Folders {
    /// The path of `tests/recordings`.
    pub recordings: PathBuf,
    /// The folder of the run, which contains `in` and `out`.
    pub run: PathBuf,
}

impl Folders {
    /// The bytes of a body file.
    ///
    /// # Errors
    /// If the name is invalid, or the file cannot be read.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        std::fs::read(self.path(name)?).map_err(|error| format!("{name}: {error}"))
    }

    /// The path of a body file.
    ///
    /// # Errors
    /// If the name begins with neither `bodies/` nor `in/`.
    pub fn path(&self, name: &str) -> Result<PathBuf, String> {
        let root = match name.split('/').next() {
            Some("bodies") => &self.recordings,
            Some("in") => &self.run,
            _ => return Err(format!("{name}: a body file is in bodies/ or in/")),
        };
        Ok(root.join(Path::new(name)))
    }
}

/// The body that a request must have.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// The request must have no body.
    Empty,
    /// The body must be this JSON, in any formatting.
    Json(serde_json::Value),
    /// The body must be these bytes.
    Bytes(Vec<u8>),
}

impl Request {
    /// The body that this request must have.
    ///
    /// # Errors
    /// If a body file cannot be read.
    pub fn wanted_body(&self, folders: &Folders) -> Result<Wanted, String> {
        Ok(match (&self.json, &self.text, &self.base64, &self.body_file) {
            (Some(json), ..) => Wanted::Json(json.clone()),
            (_, Some(text), ..) => Wanted::Bytes(text.clone().into_bytes()),
            (_, _, Some(base64), _) => Wanted::Bytes(decode(base64)?),
            (_, _, _, Some(file)) => Wanted::Bytes(folders.read(file)?),
            _ => Wanted::Empty,
        })
    }

    /// How many fields contain a body. More than one is an error in the scenario file.
    pub fn bodies(&self) -> usize {
        [self.json.is_some(), self.text.is_some(), self.base64.is_some(), self.body_file.is_some()]
            .into_iter()
            .filter(|given| *given)
            .count()
    }
}

impl Response {
    /// The bytes of the body that the server sends.
    ///
    /// # Errors
    /// If a body file cannot be read, or the slice is not within the body.
    pub fn body_bytes(&self, folders: &Folders) -> Result<Vec<u8>, String> {
        let whole = match (&self.json, &self.text, &self.base64, &self.body_file, self.json_of_bytes) {
            (Some(json), ..) => json.to_string().into_bytes(),
            (_, Some(text), ..) => text.clone().into_bytes(),
            (_, _, Some(base64), ..) => decode(base64)?,
            (_, _, _, Some(file), _) => folders.read(file)?,
            (.., Some(length)) => json_of(length),
            _ => Vec::new(),
        };
        match self.slice {
            None => Ok(whole),
            Some((from, to)) => whole
                .get(from..to)
                .map(<[u8]>::to_vec)
                .ok_or_else(|| format!("slice [{from}, {to}] is outside the body")),
        }
    }

    /// How many fields contain a body. More than one is an error in the scenario file.
    pub fn bodies(&self) -> usize {
        let given = [
            self.json.is_some(),
            self.text.is_some(),
            self.base64.is_some(),
            self.body_file.is_some(),
            self.json_of_bytes.is_some(),
        ];
        given.into_iter().filter(|given| *given).count()
    }
}

/// A document of `length` bytes that begins like a PDF. Its content has no repetitions, and is the same in every run.
pub fn generated(length: u64) -> Vec<u8> {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    while bytes.len() < length {
        // xorshift64*: its period is longer than any document in the tests.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        bytes.extend_from_slice(&state.wrapping_mul(0x2545_F491_4F6C_DD1D).to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

fn json_of(length: u64) -> Vec<u8> {
    let frame = r#"{"padding":""}"#;
    let padding = usize::try_from(length).unwrap_or(usize::MAX).saturating_sub(frame.len());
    let mut bytes = frame.as_bytes()[..frame.len() - 2].to_vec();
    bytes.resize(bytes.len() + padding, b'x');
    bytes.extend_from_slice(b"\"}");
    bytes
}

fn decode(base64: &str) -> Result<Vec<u8>, String> {
    STANDARD.decode(base64).map_err(|error| format!("base64: {error}"))
}
