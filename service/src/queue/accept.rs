//! Accepts operations into the queue.

use crate::http::problem::{ApiError, Code};
use crate::ids::identifier;
use crate::registry::{Accepted, Submission};
use crate::state::Service;
use recto_interface::Options;
use std::time::SystemTime;

/// Puts an operation on the file `input` into the queue. Returns the identifier of the operation.
pub(crate) async fn accept(
    service: &Service,
    options: Options,
    options_size: usize,
    input: String,
) -> Result<String, ApiError> {
    let kind = options.kind();
    service.current_file(&input).await?;
    let id = identifier()?;
    let submission = Submission {
        id: id.clone(),
        options,
        options_size,
        input: input.clone(),
        accepted: SystemTime::now(),
    };
    match service.registry.submit(submission).await? {
        Accepted::Yes => {}
        Accepted::NoSuchFile => return Err(ApiError::no_such_file(&input)),
        Accepted::NotUploaded => {
            let detail = format!(
                "the file {input} has not been uploaded yet; PUT its bytes to its uploadUrl, then start {kind} again"
            );
            return Err(ApiError::new(Code::FileNotUploaded, detail));
        }
        Accepted::TooMany => {
            let limit = service.config.limits.operations;
            let detail = format!(
                "{limit} operations are waiting or running, which is the limit; start this one again when some have finished"
            );
            return Err(ApiError::new(Code::TooManyOperations, detail).with("limit", limit).retry_after(1));
        }
        Accepted::TooManyBytes => {
            let limit = service.config.limits.queued_bytes;
            let detail = format!(
                "the options of the operations that wait or run have {limit} bytes, which is the limit; start this one \
                 again when some have finished, or use shorter options"
            );
            return Err(ApiError::new(Code::TooManyOperations, detail).with("limit", limit).retry_after(1));
        }
    }
    tracing::info!(operation = %id, %kind, "operation accepted");
    Ok(id)
}
