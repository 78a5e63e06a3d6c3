//! Downloads: streams results, repeats failed downloads, and resumes them at the position where they stopped.

use super::storage_error::{has_expired_signature, storage_error};
use crate::error::{Error, ErrorKind, Phase};
use crate::http::address::Address;
use crate::http::content_coding::is_identity;
use crate::http::context::RequestContext;
use crate::http::retry::{AttemptError, Delivery, Repeat};
use crate::http::send::{HttpRequest, HttpResponse, Payload};
use crate::io::sink::OpenSink;
use crate::redact::Scrubber;
use crate::runtime;
use http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_RANGE, RANGE};
use http::{HeaderMap, HeaderValue, Method};
use std::path::PathBuf;

/// A downloaded file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Downloaded {
    /// The length in bytes.
    pub length: u64,
    /// The path, if the result was written to a file.
    pub path: Option<PathBuf>,
}

/// Downloads the result at the address `from` into `sink`. `renew` returns a new address, or `None` if there is no
/// new one. It is called at most once, if the address has expired.
pub(crate) async fn download(
    context: &RequestContext<'_>,
    from: Address,
    sink: &mut OpenSink<'_>,
    mut renew: impl AsyncFnMut() -> Result<Option<Address>, Error>,
) -> Result<(), Error> {
    context.running.begin(Phase::Download, None)?;
    let mut state = Download { from, tag: None, renewed: false };
    context
        .attempts(Repeat::Idempotent, async |_| {
            let before = sink.position();
            loop {
                return match state.attempt(context, sink).await {
                    Err(failed) if is_expired(&failed.error) && !state.renewed => {
                        state.renewed = true;
                        match renew().await.map_err(AttemptError::permanent)? {
                            Some(fresh) => {
                                tracing::info!("the download address was refused; continuing with a new one");
                                state.from = fresh;
                                continue;
                            }
                            None => Err(failed),
                        }
                    }
                    Err(failed) => {
                        let moved = sink.position().saturating_sub(before);
                        Err(AttemptError { progressed: moved >= PROGRESS, ..failed })
                    }
                    Ok(()) => Ok(()),
                };
            }
        })
        .await?;
    context.running.meter.set_total(Some(sink.position()));
    context.running.end()?;
    Ok(())
}

/// If an attempt has transferred this number of bytes, the retries are counted from zero again.
const PROGRESS: u64 = 1 << 20;

/// The state of a download between two attempts.
struct Download {
    from: Address,
    /// The strong entity tag of the result, with which a later attempt can resume it.
    tag: Option<HeaderValue>,
    renewed: bool,
}

impl Download {
    async fn attempt(
        &mut self,
        context: &RequestContext<'_>,
        sink: &mut OpenSink<'_>,
    ) -> Result<(), AttemptError> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        let mut resuming = false;
        if sink.position() > 0 {
            match self.tag.as_ref().zip(HeaderValue::from_str(&format!("bytes={}-", sink.position())).ok()) {
                Some((tag, range)) => {
                    headers.insert(RANGE, range);
                    headers.insert(IF_RANGE, tag.clone());
                    resuming = true;
                }
                None => restart(sink, "the service sent no strong entity tag for it")?,
            }
        }
        let (payload, to) = (Payload::Empty, self.from.clone());
        let mut request = HttpRequest {
            method: Method::GET,
            to,
            headers,
            payload,
            with_key: true,
            fresh_connection: false,
        };
        let mut response = request.send(context).await?;
        let received = self.receive(context, &mut response, resuming, sink).await;
        // An unexpected body may quote the query of the address.
        let scrubber = Scrubber::of_query(request.to.uri().query().unwrap_or_default());
        received
            .map_err(|failed| failed.map(|error| request.locate(error.scrubbed(&scrubber), context.phase)))
    }

    async fn receive(
        &mut self,
        context: &RequestContext<'_>,
        response: &mut HttpResponse,
        resuming: bool,
        sink: &mut OpenSink<'_>,
    ) -> Result<(), AttemptError> {
        let tag = strong_tag(&response.headers);
        let length = response.header(CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
        let mut skip = 0;
        let total = match response.status {
            206 if resuming => match Range::of(response) {
                Some(range) if range.first == sink.position() && (tag.is_none() || tag == self.tag) => {
                    range.total
                }
                _ => return Err(self.mismatch(sink)?),
            },
            416 if resuming => return Err(self.mismatch(sink)?),
            206 => {
                let error =
                    Error::protocol("the service sent a part of the result, but the whole was requested");
                return Err(AttemptError::permanent(error.response(206, None)));
            }
            // 204 and 205 have no content (RFC 9110, 15.3.5 and 15.3.6).
            204 | 205 => {
                let error = Error::protocol(format!(
                    "the storage sent no content ({}) instead of the result",
                    response.status
                ));
                let error = error
                    .advise("Nothing was written. Try again, or report it to the operator of the service");
                return Err(AttemptError::permanent(error.response(response.status, None)));
            }
            200..300 => {
                if resuming && !sink.restart().map_err(AttemptError::permanent)? {
                    if tag.is_none() || tag != self.tag {
                        return Err(cannot_resume("the result may have changed in the meantime"));
                    }
                    skip = sink.position();
                }
                self.tag = tag;
                length
            }
            _ => return Err(storage_error(context, response, &self.from).await),
        };
        if !is_identity(&response.headers) {
            let error = Error::protocol("the result was sent compressed, but the request forbids that");
            return Err(AttemptError::permanent(error.response(response.status, None)));
        }
        context.running.meter.set_total(total);
        sink.set_content_type(response.header(CONTENT_TYPE));
        copy(context, response, skip, sink).await?;
        match total {
            Some(total) if total != sink.position() => {
                let message = format!("the result ended after {} of {total} bytes", sink.position());
                let error = Error::new(ErrorKind::Transport, message).advise("Try again");
                Err(AttemptError::maybe_processed(error))
            }
            _ => sink.end().map_err(AttemptError::permanent),
        }
    }

    /// The service did not resume the download at the requested position, or now has another result: the download
    /// starts again.
    fn mismatch(&mut self, sink: &mut OpenSink<'_>) -> Result<AttemptError, AttemptError> {
        self.tag = None;
        restart(sink, "the service did not resume at the requested position")?;
        let error = Error::protocol("the service did not resume the download at the requested position");
        Ok(AttemptError::new(error, Delivery::MaybeProcessed))
    }
}

/// Copies the body to `sink`, without its first `skip` bytes, which `sink` already has.
async fn copy(
    context: &RequestContext<'_>,
    response: &mut HttpResponse,
    mut skip: u64,
    sink: &mut OpenSink<'_>,
) -> Result<(), AttemptError> {
    let mut unbroken = 0;
    while let Some(chunk) = response.chunk(context).await? {
        let known = skip.min(chunk.len() as u64);
        skip -= known;
        let fresh = usize::try_from(known).ok().and_then(|known| chunk.get(known..)).unwrap_or_default();
        sink.write(fresh).map_err(AttemptError::permanent)?;
        context.running.meter.set_position(sink.position());
        unbroken += chunk.len();
        if unbroken >= 1 << 20 {
            unbroken = 0;
            runtime::yield_now().await;
        }
    }
    Ok(())
}

fn restart(sink: &mut OpenSink<'_>, why_not_resumed: &str) -> Result<(), AttemptError> {
    if sink.restart().map_err(AttemptError::permanent)? {
        Ok(())
    } else {
        Err(cannot_resume(why_not_resumed))
    }
}

fn is_expired(error: &Error) -> bool {
    matches!(error.status(), Some(403 | 404 | 410)) || has_expired_signature(error)
}

fn cannot_resume(why: &str) -> AttemptError {
    let message = format!(
        "the transfer was interrupted and cannot resume: part of it was already written to the stream, and {why}"
    );
    AttemptError::permanent(
        Error::new(ErrorKind::Transport, message).advise("Download it again, to a file or to memory"),
    )
}

fn strong_tag(headers: &HeaderMap) -> Option<HeaderValue> {
    headers.get(ETAG).filter(|tag| tag.as_bytes().starts_with(b"\"") && tag.len() > 2).cloned()
}

/// The header `Content-Range`, such as `bytes 5-9/10`.
#[derive(Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) first: u64,
    pub(crate) total: Option<u64>,
}

impl Range {
    fn of(response: &HttpResponse) -> Option<Self> {
        Self::parse(response.header(CONTENT_RANGE)?)
    }

    /// Returns `None` if the numbers contradict each other, or if the range ends before the end of the result.
    pub(crate) fn parse(value: &str) -> Option<Self> {
        let rest = value.trim().strip_prefix("bytes ")?;
        let (range, total) = rest.split_once('/')?;
        let (first, last) = range.trim().split_once('-')?;
        let (first, last) = (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
        let total = match total.trim() {
            "*" => None,
            total => Some(total.parse::<u64>().ok()?),
        };
        let fits = first <= last && total.is_none_or(|total| last.checked_add(1) == Some(total));
        fits.then_some(Self { first, total })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_that_contradicts_itself_is_ignored() {
        assert_eq!(Range::parse("bytes 5-9/10"), Some(Range { first: 5, total: Some(10) }));
        assert_eq!(Range::parse("bytes 5-9/*"), Some(Range { first: 5, total: None }));
        for wrong in [
            "",
            "bytes */10",
            "bytes 9-5/10",
            "bytes 5-8/10",
            "bytes 5-10/10",
            "items 5-9/10",
            "bytes 5-18446744073709551615/0",
            "bytes -5-9/10",
        ] {
            assert_eq!(Range::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn only_strong_entity_tags_are_used() {
        let tag = |value: &'static str| {
            strong_tag(&HeaderMap::from_iter([(ETAG, HeaderValue::from_static(value))]))
        };
        assert!(tag("\"a\"").is_some());
        assert!(tag("W/\"a\"").is_none() && tag("a").is_none() && tag("\"\"").is_none());
    }
}
