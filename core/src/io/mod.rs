//! Documents on this machine: reads them to be sent, and writes results.

pub(crate) mod owned_file;
#[cfg(unix)]
mod pipe;
mod replace;
pub(crate) mod result_format;
pub(crate) mod result_name;
pub(crate) mod safe_file_name;
pub(crate) mod same_file;
pub(crate) mod sink;
pub(crate) mod source;
pub(crate) mod target_file;
pub(crate) mod web_address;
