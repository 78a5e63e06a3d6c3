//! What the C side holds and frees: handles, texts, and buffers from C's `malloc`.

pub(crate) mod buffer;
pub(crate) mod handles;
pub(crate) mod text;

pub use buffer::recto_free;
