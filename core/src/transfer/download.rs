//! Documents up, results down: streamed, repeated, continued.

use crate::address::Address;
use crate::error::{Error, ErrorKind, Phase};
use crate::exchange::{self, Ask};
use crate::problem;
use crate::redact::Scrubber;
use crate::retry::{self, Fate, Repeat};
use crate::runtime;
use crate::sink::Writing;
use crate::source::{Document, FileId};
use crate::transport::{Incoming, Outgoing, Payload, Scope, Trouble};
use http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_RANGE, RANGE};
use http::{HeaderMap, HeaderValue, Method};
use recto_interface::endpoint;
use recto_interface::{UploadRequest, UploadTicket};

impl Scope<'_> {
    /// Places a document in the service.
    pub(crate) async fn upload(&self, document: &mut Document) -> Result<FileId, Error> {
        self.running.begin(Phase::Upload, Some(document.length()))?;
        let (mut id, mut address) = self.ticket(&document.name).await?;
        let mut renewed = false;
        loop {
            let put = self
                .attempts(Repeat::Harmless, async |_| self.put_once(address.clone(), document).await)
                .await;
            match put {
                Ok(_) => {
                    self.running.end()?;
                    return Ok(id);
                }
                // What a storage says to a ticket that has expired.
                Err(error) if error.status() == Some(403) && !renewed => {
                    tracing::info!("the upload address is refused; asking once for a fresh one");
                    renewed = true;
                    (id, address) = self.ticket(&document.name).await?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn ticket(&self, name: &str) -> Result<(FileId, Address), Error> {
        let ask = Ask::new(Method::POST, endpoint::UPLOAD_FROM_LOCAL)
            .with_json(&UploadRequest { file_name: name.to_owned() })?;
        let answer = self.ask(&ask, &[]).await?;
        let ticket: UploadTicket = answer.json()?;
        if !endpoint::is_segment(&ticket.file_id) {
            return Err(answer.nonsense("its upload ticket names no file"));
        }
        let address = self.presigned(&ticket.upload_url);
        let address =
            address.map_err(|why| answer.nonsense(&format!("its upload address cannot be used: {why}")))?;
        Ok((FileId::new(ticket.file_id), address))
    }

    async fn put_once(&self, to: Address, document: &mut Document) -> Result<(), Trouble> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
        let payload = Payload::Document(document);
        let mut outgoing = Outgoing { method: Method::PUT, to, headers, payload, keyed: false };
        let mut incoming = self.send(&mut outgoing).await?;
        if (200..300).contains(&incoming.status) {
            // Read to its end, which is to be empty, the connection can be used again; what goes wrong here is no matter.
            let _ = incoming.read(self, problem::MOST_READ).await;
            return Ok(());
        }
        let refused = self.storage_refusal(&mut incoming, &outgoing.to).await;
        Err(refused.map(|error| self.about(error, &outgoing)))
    }

    async fn storage_refusal(&self, incoming: &mut Incoming, asked: &Address) -> Trouble {
        let body = incoming.read(self, problem::MOST_READ).await.map(|(body, _)| body).unwrap_or_default();
        let error = problem::of_answer(incoming.status, &incoming.headers, &body);
        let error = error.scrubbed(&Scrubber::of_query(asked.url().query().unwrap_or_default()));
        let error = match error.kind() {
            // Presigned addresses carry their own permission: the key is not what is wrong.
            ErrorKind::Auth | ErrorKind::PermissionDenied | ErrorKind::NotFound => {
                let message = format!(
                    "the address for the transfer is not accepted, or no longer ({})",
                    incoming.status
                );
                error
                    .with_kind(ErrorKind::of_status(incoming.status), message)
                    .advise("Try again: such an address lasts only for a while")
            }
            _ => error,
        };
        let fate = retry::fate_of_status(incoming.status, error.retry_after().is_some());
        Trouble::new(error, fate)
    }

    /// Reads an address that the service gave for a transfer, and refuses one that would give the document away.
    pub(crate) fn presigned(&self, text: &str) -> Result<Address, &'static str> {
        let address = Address::parse(text)?;
        let (to, base) = (address.origin(), self.config.base.origin());
        let plain_is_fine =
            !base.is_https() && (to.is_loopback() || to.host() == base.host() || self.config.allow_http);
        if !to.is_https() && !plain_is_fine && !self.config.allow_http {
            return Err("it would send the document unencrypted");
        }
        Ok(address)
    }

    /// Fetches what lies at `from`. `renew` gives a fresh address once, where there is one to be had.
    pub(crate) async fn download(
        &self,
        from: Address,
        into: &mut Writing<'_>,
        mut renew: impl AsyncFnMut() -> Result<Option<Address>, Error>,
    ) -> Result<(), Error> {
        self.running.begin(Phase::Download, None)?;
        let mut state = Fetch { from, tag: None, renewed: false };
        self.attempts(Repeat::Harmless, async |_| {
            let before = into.position();
            loop {
                return match self.fetch_once(&mut state, into).await {
                    Err(trouble) if is_expired(&trouble.error) && !state.renewed => {
                        state.renewed = true;
                        match renew().await.map_err(Trouble::lasting)? {
                            Some(fresh) => {
                                tracing::info!("the download address is refused; going on with a fresh one");
                                state.from = fresh;
                                continue;
                            }
                            None => Err(trouble),
                        }
                    }
                    Err(trouble) => {
                        let moved = into.position().saturating_sub(before);
                        Err(Trouble { progressed: moved >= WORTH_GOING_ON, ..trouble })
                    }
                    Ok(()) => Ok(()),
                };
            }
        })
        .await?;
        self.running.meter.of(Some(into.position()));
        self.running.end()?;
        Ok(())
    }

    async fn fetch_once(&self, state: &mut Fetch, into: &mut Writing<'_>) -> Result<(), Trouble> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        let mut goes_on = false;
        if into.position() > 0 {
            match state.tag.as_ref().zip(HeaderValue::from_str(&format!("bytes={}-", into.position())).ok()) {
                Some((tag, range)) => {
                    headers.insert(RANGE, range);
                    headers.insert(IF_RANGE, tag.clone());
                    goes_on = true;
                }
                None => self.restart(into, "the service gives it no strong entity tag")?,
            }
        }
        let payload = Payload::Nothing;
        let mut outgoing =
            Outgoing { method: Method::GET, to: state.from.clone(), headers, payload, keyed: true };
        let mut incoming = self.send(&mut outgoing).await?;
        let received = self.receive(&mut incoming, goes_on, state, into).await;
        received.map_err(|trouble| trouble.map(|error| self.about(error, &outgoing)))
    }

    async fn receive(
        &self,
        incoming: &mut Incoming,
        goes_on: bool,
        state: &mut Fetch,
        into: &mut Writing<'_>,
    ) -> Result<(), Trouble> {
        let tag = strong_tag(&incoming.headers);
        let length = incoming.header(CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
        let mut skip = 0;
        let total = match incoming.status {
            206 if goes_on => match Range::of(incoming) {
                Some(range) if range.first == into.position() && (tag.is_none() || tag == state.tag) => {
                    range.total
                }
                _ => return Err(self.mismatch(state, into)?),
            },
            416 if goes_on => return Err(self.mismatch(state, into)?),
            206 => {
                let error =
                    Error::protocol("the service sent a part of the result, and was asked for the whole");
                return Err(Trouble::lasting(error.answer(206, None)));
            }
            200..300 => {
                if goes_on && !into.restart().map_err(Trouble::lasting)? {
                    if tag.is_none() || tag != state.tag {
                        return Err(cannot_go_on("what lies there now is not known to be the same"));
                    }
                    skip = into.position();
                }
                state.tag = tag;
                length
            }
            _ => return Err(self.storage_refusal(incoming, &state.from).await),
        };
        if !exchange::is_identity(&incoming.headers) {
            let error =
                Error::protocol("the service compressed the result on its way, which it was asked not to do");
            return Err(Trouble::lasting(error.answer(incoming.status, None)));
        }
        self.running.meter.of(total);
        self.copy(incoming, skip, into).await?;
        match total {
            Some(total) if total != into.position() => {
                let message = format!("the result ended after {} of {total} bytes", into.position());
                Err(Trouble::unknown(Error::new(ErrorKind::Transport, message).advise("Try again")))
            }
            _ => Ok(()),
        }
    }

    async fn copy(
        &self,
        incoming: &mut Incoming,
        mut skip: u64,
        into: &mut Writing<'_>,
    ) -> Result<(), Trouble> {
        let mut unbroken = 0;
        while let Some(chunk) = incoming.chunk(self).await? {
            let known = skip.min(chunk.len() as u64);
            skip -= known;
            let fresh = usize::try_from(known).ok().and_then(|known| chunk.get(known..)).unwrap_or_default();
            into.write(fresh).map_err(Trouble::lasting)?;
            self.running.meter.at(into.position());
            unbroken += chunk.len();
            if unbroken >= 1 << 20 {
                unbroken = 0;
                runtime::breathe().await;
            }
        }
        Ok(())
    }

    /// What was to be continued is another thing now: it begins again, from nothing.
    fn mismatch(&self, state: &mut Fetch, into: &mut Writing<'_>) -> Result<Trouble, Trouble> {
        state.tag = None;
        self.restart(into, "the service did not continue where it broke off")?;
        let error = Error::protocol("the service did not continue the result where it broke off");
        Ok(Trouble::new(error, Fate::Unknown))
    }

    fn restart(&self, into: &mut Writing<'_>, why_not_on: &str) -> Result<(), Trouble> {
        if into.restart().map_err(Trouble::lasting)? { Ok(()) } else { Err(cannot_go_on(why_not_on)) }
    }
}

/// Bytes moved by an attempt that make a further one worth it, however many there were.
const WORTH_GOING_ON: u64 = 1 << 20;

/// What is known of a download between its attempts.
struct Fetch {
    from: Address,
    /// The strong entity tag of what is being fetched.
    tag: Option<HeaderValue>,
    renewed: bool,
}

fn is_expired(error: &Error) -> bool {
    matches!(error.status(), Some(403 | 404 | 410))
}

fn cannot_go_on(why: &str) -> Trouble {
    let message = format!(
        "the transfer broke off and cannot be continued, since a part of it was given away and {why}"
    );
    Trouble::lasting(
        Error::new(ErrorKind::Transport, message).advise("Fetch it again, into a file or into memory"),
    )
}

fn strong_tag(headers: &HeaderMap) -> Option<HeaderValue> {
    headers.get(ETAG).filter(|tag| tag.as_bytes().starts_with(b"\"") && tag.len() > 2).cloned()
}

/// `Content-Range: bytes 5-9/10`.
#[derive(Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) first: u64,
    pub(crate) total: Option<u64>,
}

impl Range {
    fn of(incoming: &Incoming) -> Option<Self> {
        Self::parse(incoming.header(CONTENT_RANGE)?)
    }

    /// `None` for what contradicts itself, and for a part that does not reach to the end.
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
    fn a_range_is_believed_only_where_it_agrees_with_itself() {
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
    fn only_a_strong_tag_says_that_bytes_are_the_same() {
        let tag = |value: &'static str| {
            strong_tag(&HeaderMap::from_iter([(ETAG, HeaderValue::from_static(value))]))
        };
        assert!(tag("\"a\"").is_some());
        assert!(tag("W/\"a\"").is_none() && tag("a").is_none() && tag("\"\"").is_none());
    }
}
