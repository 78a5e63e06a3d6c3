//! Documents on this machine: reads them to be sent, and writes results.

#[cfg(unix)]
mod pipe;
pub(crate) mod result_format;
pub(crate) mod safe_file_name;
pub(crate) mod sink;
pub(crate) mod source;
