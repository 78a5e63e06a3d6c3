//! Loads, walks, decodes and saves PDF documents, with the checks and limits that every operation needs.
//!
//! [`load()`] and [`save()`] are the entry points. A loaded document is a [`lopdf::Document`]; this module adds what
//! lopdf lacks: limits, indirect filter parameters, inherited page attributes, and compact output.

mod container;
mod decode;
mod decrypt;
mod encode;
mod encryption_dictionary;
mod graph;
mod lexical;
mod load;
mod number;
mod page_tree;
mod pages;
mod predictor;
mod rebuild;
mod repair;
mod salvage;
mod save;
mod signatures;
mod text;
mod write;
mod xmp;

pub(crate) use container::{
    Entry, may_be_packed, object_stream, version, write_header, write_indirect, xref_stream,
};
pub(crate) use decode::{Budget, decode, filters, resolved};
pub(crate) use encode::{deflate, flate_stream, recoded, stored_size};
pub(crate) use graph::{
    TRAILER_ROOTS, dictionary_mut, for_each_dictionary, for_each_dictionary_mut, for_each_reference, hoist,
    reachable, rewrite_references,
};
pub(crate) use lexical::{is_delimiter, is_regular, is_white_space};
pub(crate) use load::{load, load_as_written, load_pages, load_with_password};
pub(crate) use number::{number, rectangle};
pub(crate) use pages::{inherited, page_contents, pages};
pub(crate) use predictor::{Rows, apply_png};
pub(crate) use save::{SaveOptions, encryption_dictionary, fresh_id, save, trailer};
pub(crate) use signatures::{is_signature, is_signed};
pub(crate) use text::text;
pub(crate) use write::write_object;
pub(crate) use xmp::identification;
