//! The paths of the service, relative to its base URL.
//!
//! Each operation has its own path, to which the request that starts the operation is sent: see
//! [`OperationKind::path`](crate::OperationKind::path).

/// `POST`: requests the address to which a local file is uploaded.
pub const UPLOAD_FROM_LOCAL: &str = "/v1/files/upload/fromLocal";
/// `POST`: requests that the service downloads a file from an address.
pub const UPLOAD_FROM_URL: &str = "/v1/files/upload/fromUrl";
/// The beta path of [`UPLOAD_FROM_URL`]. The examples in the specification use this path.
pub const UPLOAD_FROM_URL_BETA: &str = "/v1-beta/files/upload/fromUrl";
/// `GET`: lists the files. The query parameter `onlyResultFiles` limits the list to result files.
pub const FILES: &str = "/v1/files";
/// The query parameter of [`FILES`] that limits the list to result files.
pub const ONLY_RESULT_FILES: &str = "onlyResultFiles";
/// `GET`, `DELETE`: one file. `{fileId}` is replaced by the identifier, percent-encoded as one segment.
pub const FILE: &str = "/v1/files/{fileId}";
/// The beginning of the paths of all operations.
pub const OPERATIONS: &str = "/v1/operations";
/// `GET`: the result of an operation. `{operationId}` is replaced by the identifier, percent-encoded as one segment.
pub const RESULT: &str = "/v1/operations/{operationId}/result";
/// The header with the API key. Every request to the base URL has it.
pub const API_KEY_HEADER: &str = "x-api-key";

/// The path of one file, with `file_id` encoded as one segment.
pub fn file(file_id: &str) -> String {
    FILE.replace("{fileId}", &segment(file_id))
}

/// The path of an operation's result, with `operation_id` encoded as one segment.
pub fn result(operation_id: &str) -> String {
    RESULT.replace("{operationId}", &segment(operation_id))
}

/// Encodes `text` as one path segment (RFC 3986, 3.3). All characters except unreserved ones are percent-encoded, so
/// that no identifier can add a segment, a query or a fragment. The segments `.` and `..` change the path even if
/// they are percent-encoded (WHATWG URL), so callers refuse these identifiers: see [`is_segment`].
pub fn segment(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte))
            }
            _ => {
                encoded.push('%');
                encoded.push(HEX[usize::from(byte >> 4)]);
                encoded.push(HEX[usize::from(byte & 15)]);
            }
        }
    }
    encoded
}

/// Whether `text` can be an identifier in a path: it must not be empty, `.` or `..`.
pub fn is_segment(text: &str) -> bool {
    !matches!(text, "" | "." | "..")
}

const HEX: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_identifier_stays_one_path_segment() {
        assert_eq!(file("a b/c?d#e%2f"), "/v1/files/a%20b%2Fc%3Fd%23e%252f");
        assert_eq!(result("é\n"), "/v1/operations/%C3%A9%0A/result");
        assert!(!is_segment("..") && !is_segment("") && is_segment("...") && is_segment("a"));
    }
}
