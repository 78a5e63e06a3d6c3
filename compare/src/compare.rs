//! Compares two documents page by page.

use crate::difference::{Difference, difference, share};
use crate::picture::Picture;
use crate::rendered::{RenderedPages, Rendering};
use crate::settings::Settings;
use crate::{Error, marked};
use recto::{Call, Client, Input};
use std::io::{self, Write};

/// Has the service render both documents at the same time, and returns their pages for comparison.
///
/// The time limit and the cancellation of `call` apply to the service's part. The iterator compares one page at a
/// time, so a caller can stop between two pages.
///
/// # Errors
/// [`Error::Call`] if the service refuses a document or cannot be reached, and [`Error::Pages`] for a document with too
/// many pages.
pub fn compare(
    client: &Client,
    documents: [impl Into<Input>; 2],
    settings: &Settings,
    call: &Call<'_>,
) -> Result<Comparison, Error> {
    settings.check()?;
    let [a, b]: [Input; 2] = documents.map(Into::into);
    let a = Rendering::start(client, a, settings, call)?;
    let b = Rendering::start(client, b, settings, call)?;
    Ok(Comparison {
        documents: [a.pages(settings, call)?, b.pages(settings, call)?],
        tolerance: settings.tolerance,
        threshold: settings.threshold,
        next: 0,
        failed: false,
        summary: Summary::default(),
    })
}

/// The pages of two documents: an iterator that compares one page at a time.
pub struct Comparison {
    documents: [RenderedPages; 2],
    tolerance: f32,
    threshold: f64,
    next: usize,
    /// Whether a page could not be compared. Then there are no further pages.
    failed: bool,
    summary: Summary,
}

/// The figures of the pages that were compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The number of pages.
    pub pages: usize,
    /// The number of pages that differ beyond the threshold, or that only one document has.
    pub differing_pages: usize,
    tiles: usize,
    differing_tiles: usize,
}

impl Summary {
    /// Whether no page differs.
    pub fn is_same(&self) -> bool {
        self.differing_pages == 0
    }

    /// The share of the area of all pages that differs, from 0 to 1.
    pub fn share(&self) -> f64 {
        share(self.differing_tiles, self.tiles)
    }

    fn add(&mut self, page: &ComparedPage) {
        self.pages += 1;
        self.differing_pages += usize::from(page.differs);
        self.tiles += page.difference.tiles();
        self.differing_tiles += page.difference.differing();
    }
}

impl Comparison {
    /// The numbers of pages of the two documents.
    pub fn page_counts(&self) -> [usize; 2] {
        [self.documents[0].count(), self.documents[1].count()]
    }

    /// The documents, as messages name them.
    pub fn labels(&self) -> [&str; 2] {
        [&self.documents[0].document, &self.documents[1].document]
    }

    /// The figures of the pages that the iterator has returned so far.
    pub fn summary(&self) -> Summary {
        self.summary
    }

    fn compare_next(&mut self) -> Result<Option<ComparedPage>, Error> {
        let index = self.next;
        self.next += 1;
        let [a, b] = &mut self.documents;
        let pictures = [a.picture(index)?, b.picture(index)?];
        let difference = match &pictures {
            [Some(a), Some(b)] => difference(a, b, self.tolerance),
            [Some(only), None] | [None, Some(only)] => Difference::whole(only),
            [None, None] => return Ok(None),
        };
        let is_in_both = pictures.iter().all(Option::is_some);
        let differs = !is_in_both || difference.share() > self.threshold;
        let page = ComparedPage { number: index + 1, differs, difference, pictures };
        self.summary.add(&page);
        Ok(Some(page))
    }
}

impl Iterator for Comparison {
    type Item = Result<ComparedPage, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let page = self.compare_next();
        self.failed = page.is_err();
        page.transpose()
    }
}

/// A page of both documents, or of one.
pub struct ComparedPage {
    /// The number of the page, from 1.
    pub number: usize,
    /// Whether the page differs beyond the threshold, or only one document has it.
    pub differs: bool,
    /// The tiles that differ.
    pub difference: Difference,
    pictures: [Option<Picture>; 2],
}

impl ComparedPage {
    /// The share of the page that differs, from 0 to 1; 1 for a page that only one document has.
    pub fn share(&self) -> f64 {
        self.difference.share()
    }

    /// Which document has the page: the first one, the second one.
    pub fn is_in(&self) -> [bool; 2] {
        [self.pictures[0].is_some(), self.pictures[1].is_some()]
    }

    /// Writes a PNG file of both pages side by side, with the differences marked.
    ///
    /// # Errors
    /// The error of the writer.
    pub fn write_png(&self, writer: impl Write) -> io::Result<()> {
        marked::write([self.pictures[0].as_ref(), self.pictures[1].as_ref()], &self.difference, writer)
    }
}
