//! Accepts operations into the queue.

use crate::http::problem::{Code, Refusal};
use crate::ids::identifier;
use crate::registry::{Accepted, Submission};
use crate::state::Service;
use recto_interface::Options;
use std::time::SystemTime;

/// Queues an operation on the file `input`, and returns the operation's identifier.
pub(crate) async fn accept(service: &Service, options: Options, input: String) -> Result<String, Refusal> {
    let kind = options.kind();
    service.settled(&input).await?;
    let id = identifier()?;
    let submission =
        Submission { id: id.clone(), options, input: input.clone(), accepted: SystemTime::now() };
    match service.registry.submit(submission).await? {
        Accepted::Yes => {}
        Accepted::NoSuchFile => return Err(Refusal::no_such_file(&input)),
        Accepted::NotUploaded => {
            let detail = format!(
                "the file {input} has a ticket, but no bytes yet; PUT them to its uploadUrl, then start {kind} again"
            );
            return Err(Refusal::new(Code::FileNotUploaded, detail));
        }
        Accepted::TooMany => {
            let limit = service.config.limits.operations;
            let detail = format!(
                "{limit} operations wait or run, which is the limit; start this one again when some have finished"
            );
            return Err(Refusal::new(Code::TooManyOperations, detail).with("limit", limit).retry_after(1));
        }
    }
    tracing::info!(operation = %id, %kind, "operation accepted");
    Ok(id)
}
