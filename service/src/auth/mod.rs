//! Who may use the service: the API key, one-time tokens, hosts, presigned addresses.

pub(crate) mod hosts;
pub(crate) mod key;
pub(crate) mod one_time_token;
pub(crate) mod presign;
