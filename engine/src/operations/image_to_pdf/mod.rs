//! `image-to-pdf`: puts each image of a file on its own page, without loss of quality.

mod layout;
mod write;

use crate::{EngineError, Input, Job, Output, raster};
use layout::PageSetup;
use recto_interface::options::{ImageToPdfOptions, InvalidOption, PageSize, Strategy};
use write::Writer;

/// Checks that the margin leaves room for an image.
///
/// # Errors
/// [`InvalidOption`] if it does not.
pub(super) fn check(options: &ImageToPdfOptions) -> Result<(), InvalidOption> {
    page_setup(options).map(drop)
}

fn page_setup(options: &ImageToPdfOptions) -> Result<PageSetup, InvalidOption> {
    PageSetup::new(
        options.page_size.unwrap_or(PageSize::A4),
        options.page_margin,
        options.strategy.unwrap_or(Strategy::Auto),
    )
}

/// Runs the operation.
pub(super) fn run(options: &ImageToPdfOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let mut writer = Writer::new(page_setup(options)?);
    raster::pictures(input.bytes, job, &mut |picture| writer.page(picture, job))?;
    Ok(Output::file(writer.finish(), "pdf"))
}
