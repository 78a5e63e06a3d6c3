//! `image-to-pdf`: each image of a file on a page of its own, without loss.

mod layout;
mod write;

use crate::{EngineError, Input, Job, Output, raster};
use layout::PageSetup;
use recto_interface::options::{ImageToPdfOptions, PageSize, Strategy};
use write::Writer;

/// Runs the operation.
pub(super) fn run(options: &ImageToPdfOptions, input: Input<'_>, job: &Job) -> Result<Output, EngineError> {
    let setup = PageSetup::new(
        options.page_size.unwrap_or(PageSize::A4),
        options.page_margin,
        options.strategy.unwrap_or(Strategy::Auto),
    )?;
    let mut writer = Writer::new(setup);
    raster::pictures(input.bytes, job, &mut |picture| writer.page(picture, job))?;
    Ok(Output::file(writer.finish(), "pdf"))
}
