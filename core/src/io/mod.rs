//! Documents on this machine: where they are read from, and where results are written to.

pub(crate) mod safe_file_name;
pub(crate) mod sink;
pub(crate) mod source;
