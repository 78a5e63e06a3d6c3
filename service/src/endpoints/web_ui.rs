//! The web page at `/`, and the endpoints that only this page uses.
//!
//! The page contains no secret. The user enters the API key, or the page exchanges the one-time token in its link for
//! the API key.

use crate::http::json::{Json, RequestBody};
use crate::http::problem::{ApiError, Code};
use crate::http::timestamp::iso8601;
use crate::registry::Outcome;
use crate::state::Service;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderName, HeaderValue};
use recto_interface::Secret;
use serde::{Deserialize, Serialize};

/// The content security policy: the page may load only its own files, may connect only to this service, and may not be
/// embedded in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/// The maximum number of operations that the web page lists.
const LISTED: usize = 50;

/// The files of the page: the path, the media type and the text of each file.
pub(crate) const PARTS: &[(&str, &str, &str)] = &[
    ("/", "text/html; charset=utf-8", include_str!("web_ui/page.html")),
    ("/page/page.css", "text/css; charset=utf-8", include_str!("web_ui/page.css")),
    ("/page/page.js", "text/javascript; charset=utf-8", include_str!("web_ui/page.js")),
];

/// The response that contains a file of the web page.
pub(crate) fn part(media_type: &'static str, text: &'static str) -> Response {
    let fields: [(HeaderName, &'static str); 5] = [
        (CONTENT_TYPE, media_type),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-cache"),
    ];
    let mut response = text.into_response();
    for (name, value) in fields {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The body of the request for the API key.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyRequest {
    /// The one-time token in the link of the page.
    once: Secret,
}

impl RequestBody for KeyRequest {}

/// The body of the response with the API key.
#[derive(Serialize)]
pub(crate) struct KeyResponse {
    key: Secret,
}

/// `POST /page/key`: exchanges the one-time token for the API key.
pub(crate) async fn key(
    State(service): State<Service>,
    Json(KeyRequest { once }): Json<KeyRequest>,
) -> Result<Json<KeyResponse>, ApiError> {
    let given = service.one_time_token.redeem(once.expose()).ok_or_else(|| {
        ApiError::new(
            Code::InvalidLink,
            "this link was already used, or has expired after ten minutes; enter the API key that the service printed",
        )
    })?;
    Ok(Json(KeyResponse { key: given }))
}

/// The list of the latest operations.
#[derive(Serialize)]
pub(crate) struct Listed {
    operations: Vec<ListedOperation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedOperation {
    operation_id: String,
    name: &'static str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
}

/// `GET /page/operations`: the latest operations, the newest first.
pub(crate) async fn operations(State(service): State<Service>) -> Result<Json<Listed>, ApiError> {
    let latest = service.registry.latest(LISTED).await?;
    let listed = latest.into_iter().map(|listed| {
        let (status, code) = match listed.outcome {
            None => ("inProgress", None),
            Some(Outcome::Failed { code, .. }) => ("failed", Some(code)),
            Some(Outcome::File { .. } | Outcome::Report(_)) => ("finished", None),
        };
        ListedOperation {
            operation_id: listed.id,
            name: listed.kind.name(),
            status,
            code,
            started_at: iso8601(listed.accepted),
            ended_at: listed.ended.map(iso8601),
        }
    });
    Ok(Json(Listed { operations: listed.collect() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_no_external_links_and_no_inline_code() {
        for (path, _, text) in PARTS {
            assert!(!text.contains("http://") && !text.contains("https://"), "{path}");
        }
        let page = PARTS[0].2;
        for inline in ["style=", "<style", "onclick", "onload", "onsubmit", "onchange", "javascript:"] {
            assert!(!page.contains(inline), "{inline}");
        }
        assert_eq!(page.matches("<script").count(), page.matches("<script src=").count());
    }

    /// The ranges of a character class of JavaScript that consists of escapes: `\u0000-\u001f\u{e0000}`.
    fn ranges(class: &str) -> Vec<(u32, u32)> {
        let mut ends: Vec<(u32, bool)> = Vec::new();
        for escape in class.split("\\u").skip(1) {
            let number = escape.trim_end_matches('-').trim_matches(['{', '}']);
            ends.push((u32::from_str_radix(number, 16).unwrap(), escape.ends_with('-')));
        }
        let is_end = |index: usize| index > 0 && ends[index - 1].1;
        let starts = (0..ends.len()).filter(|index| !is_end(*index));
        starts
            .map(|index| (ends[index].0, if ends[index].1 { ends[index + 1].0 } else { ends[index].0 }))
            .collect()
    }

    #[test]
    fn the_page_escapes_the_same_characters_as_the_command_line() {
        let script = PARTS[2].2;
        let class = script.split_once("replace(/[").unwrap().1.split_once("]/gu,").unwrap().0;
        let ranges = ranges(class);
        for c in '\0'..=char::MAX {
            let escaped = ranges.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(c)));
            assert_eq!(escaped, recto_interface::printable::is_unprintable(c), "{c:?} {ranges:x?}");
        }
    }
}
