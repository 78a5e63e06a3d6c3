//! Resume tokens. With a token, another process can continue to wait for an operation. A token contains no API key
//! and no presigned address.

use super::name::OperationName;
use crate::error::{Error, Phase};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use recto_interface::endpoint;
use serde::{Deserialize, Serialize};

/// The length limit of a token in bytes.
const LONGEST: usize = 8 * 1024;

/// The content of a resume token. A token is this content as JSON in base64url.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ResumeToken {
    /// The version of the token format.
    v: u32,
    pub(crate) id: String,
    /// The name of the operation, such as `stamp-qr`.
    pub(crate) kind: String,
    /// The base URL, without user name and password.
    pub(crate) base: String,
}

impl ResumeToken {
    pub(crate) fn new(id: &str, name: &OperationName, base: &str) -> Self {
        Self { v: 1, id: id.to_owned(), kind: name.as_str().to_owned(), base: base.to_owned() }
    }

    pub(crate) fn write(&self) -> String {
        // The token consists of strings and a number: serializing it cannot fail.
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    pub(crate) fn read(text: &str) -> Result<(Self, OperationName), Error> {
        let invalid = |why: &str| {
            Error::invalid(format!("invalid resume token: {why}"))
                .in_phase(Phase::Configure)
                .advise("Pass the token exactly as the operation returned it")
        };
        let text = text.trim();
        if text.len() > LONGEST {
            return Err(invalid("it is too long"));
        }
        let json =
            URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).map_err(|_| invalid("it is not base64url"))?;
        let token: Self =
            serde_json::from_slice(&json).map_err(|_| invalid("it is not a token of this client"))?;
        if token.v != 1 {
            return Err(invalid("it is from a newer version of Recto"));
        }
        let name =
            OperationName::read(&token.kind).ok_or_else(|| invalid("its operation has an invalid name"))?;
        if !endpoint::is_segment(&token.id) {
            return Err(invalid("its operation id is invalid"));
        }
        Ok((token, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recto_interface::OperationKind;

    #[test]
    fn a_token_is_read_as_it_was_written() {
        let name = OperationName::Known(OperationKind::StampQr);
        let token = ResumeToken::new("a/b?c", &name, "https://h.example/pdf");
        let text = token.write();
        assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')));
        assert_eq!(ResumeToken::read(&format!(" {text}\n")).unwrap(), (token, name));
    }

    #[test]
    fn an_invalid_token_is_refused() {
        let forged = |id: &str, kind: &str, v: u32| {
            let token =
                ResumeToken { v, id: id.to_owned(), kind: kind.to_owned(), base: "https://h".to_owned() };
            token.write()
        };
        let long = "A".repeat(LONGEST + 1);
        for text in [
            "",
            "???",
            "AAAA",
            &long,
            &forged("..", "optimize", 1),
            &forged("1", "no/../pe", 1),
            &forged("1", "optimize", 2),
        ] {
            assert!(ResumeToken::read(text).is_err(), "{text}");
        }
    }
}
