//! The parts of requests and responses that all endpoints share: JSON bodies, problem details, trace ids and headers.
//!
//! This module does not use the service's state.

pub(crate) mod content_disposition;
pub(crate) mod failed_result;
pub(crate) mod file_name;
pub(crate) mod json;
pub(crate) mod option_limits;
pub(crate) mod path_id;
pub(crate) mod prefer;
pub(crate) mod problem;
pub(crate) mod range;
pub(crate) mod timestamp;
pub(crate) mod trace;
pub(crate) mod unknown_fields;
