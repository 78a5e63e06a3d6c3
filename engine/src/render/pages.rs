//! Rendering pages side by side.
//!
//! Workers are threads of their own: a job that is cancelled or out of time does not wait for them, and each ends at its
//! page's next look-up of an object or with its page. Each has a render cache, which cannot be shared.

use super::document::Document;
use super::size::{Scale, pixels_of};
use super::watch::guarded;
use super::weight::weigh;
use crate::{EngineError, Job, Limits};
use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::Affine;
use hayro::vello_cpu::color::palette::css::{TRANSPARENT, WHITE};
use hayro::vello_cpu::peniko::ImageAlphaType;
use hayro::vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources, TargetInit};
use hayro::{RenderCache, RenderSettings, render_into};
use recto_interface::options::PixelSize;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Forms nest, and each level takes stack.
const STACK: usize = 64 << 20;
/// How often a waiting job looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(20);
/// After how many pages a worker forgets its fonts and glyphs, which it would keep for good.
const PAGES_PER_CACHE: usize = 200;

/// One page, ready to be rendered.
pub(crate) struct PageView<'a> {
    page: &'a Page<'a>,
    cache: &'a RenderCache<'a>,
    reduced: Cell<bool>,
}

impl<'a> PageView<'a> {
    /// The page's width and height as it is shown, in units of its own.
    pub fn size(&self) -> (f64, f64) {
        let (width, height) = self.page.render_dimensions();
        (width.into(), height.into())
    }

    /// How many points the page's unit is.
    pub fn unit(&self) -> f64 {
        let unit = self.page.raw().get::<f32>(b"UserUnit").map_or(1.0, f64::from);
        if (0.001..=10_000.0).contains(&unit) { unit } else { 1.0 }
    }

    pub fn page(&self) -> &'a Page<'a> {
        self.page
    }

    /// The page as this many pixels, or as fewer where that is too large; then [`reduced`](Self::reduced) tells.
    ///
    /// # Errors
    /// As [`Scale::exact`], for a page of no finite size.
    pub fn scaled(&self, pixels: (f64, f64), limits: &Limits) -> Result<Scale, EngineError> {
        let (scale, reduced) = Scale::fitting(self.size(), pixels, limits)?;
        self.reduced.set(self.reduced.get() || reduced);
        Ok(scale)
    }

    /// The page at the common resolution, or at the lower one that keeps it within `cap` or within the limits.
    ///
    /// # Errors
    /// As [`scaled`](Self::scaled).
    pub fn at_resolution(&self, cap: Option<PixelSize>, limits: &Limits) -> Result<Scale, EngineError> {
        self.scaled(pixels_of(self.size(), self.unit(), cap), limits)
    }

    /// Whether the page got fewer pixels than were asked for.
    pub fn reduced(&self) -> bool {
        self.reduced.get()
    }

    /// The pixels on white, four bytes each, of which the last is 255.
    pub fn on_white(&self, scale: Scale) -> Vec<u8> {
        self.render(scale, WHITE, None).take_rgba8(ImageAlphaType::AlphaPremultiplied)
    }

    /// The same without smoothed edges: a pixel is painted or not.
    pub fn on_white_with_hard_edges(&self, scale: Scale) -> Vec<u8> {
        self.render(scale, WHITE, Some(127)).take_rgba8(ImageAlphaType::AlphaPremultiplied)
    }

    /// The pixels on nothing: red, green, blue and alpha.
    pub fn on_nothing(&self, scale: Scale) -> Vec<u8> {
        self.render(scale, TRANSPARENT, None).take_rgba8(ImageAlphaType::Alpha)
    }

    fn render(
        &self,
        scale: Scale,
        background: hayro::vello_cpu::color::AlphaColor<hayro::vello_cpu::color::Srgb>,
        aliasing_threshold: Option<u8>,
    ) -> Pixmap {
        weigh(self.page, scale);
        let settings = hayro::vello_cpu::RenderSettings { num_threads: 0, ..Default::default() };
        let mut context = RenderContext::new_with(scale.width, scale.height, settings);
        let transform = Affine::scale_non_uniform(scale.x, scale.y)
            * hayro::hayro_interpret::util::TransformExt::to_kurbo(&self.page.initial_transform(true));
        let rendering = RenderSettings { aliasing_threshold, ..RenderSettings::default() };
        render_into(
            self.page,
            self.cache,
            &InterpreterSettings::default(),
            &rendering,
            &mut context,
            transform,
        );
        context.flush();
        let mut pixmap = Pixmap::new(scale.width, scale.height);
        let target = RasterizerSettings { target_init: TargetInit::Clear(background), ..Default::default() };
        context.render_with(&mut pixmap, &mut Resources::default(), target);
        pixmap
    }
}

/// Makes something of every page on all cores, and hands it over in the order of the pages.
///
/// # Errors
/// The first that `make` or `take` fail with, or [`Job::proceed`].
pub(crate) fn each_page<T: Send + 'static>(
    document: &Document,
    job: &Job,
    make: impl Fn(&PageView<'_>) -> Result<T, EngineError> + Send + Sync + 'static,
    mut take: impl FnMut(usize, T) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let total = document.pages().len();
    if total > job.limits().pages {
        return Err(EngineError::limit("pages", job.limits().pages.to_string()));
    }
    let workers = thread::available_parallelism().map_or(1, NonZero::get).min(total);
    let (sender, receiver) = sync_channel(workers);
    let shared = Arc::new(Shared { next: AtomicUsize::new(0), make });
    let _at_the_end = StopAtTheEnd(document);
    for _ in 0..workers {
        let (document, shared, sender) = (document.clone(), shared.clone(), sender.clone());
        let worker = thread::Builder::new().name("recto-render".to_owned()).stack_size(STACK);
        worker
            .spawn(move || work(&document, &shared, &sender))
            .map_err(|error| EngineError::Internal(format!("no thread for rendering: {error}")))?;
    }
    drop(sender);
    let mut early = BTreeMap::new();
    let mut done = 0;
    while done < total {
        job.proceed()?;
        match receiver.recv_timeout(LOOK) {
            Ok((index, Ok(made))) => early.insert(index, made),
            Err(RecvTimeoutError::Timeout) => continue,
            // What ended a job ended its workers too, and is the reason to tell.
            Ok((_, Err(error))) => return job.proceed().and(Err(error)),
            Err(RecvTimeoutError::Disconnected) => {
                let early = EngineError::Internal("a renderer ended early".to_owned());
                return job.proceed().and(Err(early));
            }
        };
        while let Some(made) = early.remove(&done) {
            take(done, made)?;
            done += 1;
            job.progress(done, total);
        }
    }
    Ok(())
}

struct Shared<M> {
    next: AtomicUsize,
    make: M,
}

/// Tells the workers to stop, however the job ends.
struct StopAtTheEnd<'a>(&'a Document);

impl Drop for StopAtTheEnd<'_> {
    fn drop(&mut self) {
        self.0.stop().ask();
    }
}

fn work<T, M: Fn(&PageView<'_>) -> Result<T, EngineError>>(
    document: &Document,
    shared: &Shared<M>,
    sender: &SyncSender<(usize, Result<T, EngineError>)>,
) {
    let pages = document.pages();
    let mut cache = RenderCache::new();
    let mut cached = 0;
    loop {
        let index = shared.next.fetch_add(1, Ordering::Relaxed);
        let Some(page) = pages.get(index) else { return };
        if document.stop().is_asked() {
            return;
        }
        if cached == PAGES_PER_CACHE {
            (cache, cached) = (RenderCache::new(), 0);
        }
        cached += 1;
        let view = PageView { page, cache: &cache, reduced: Cell::new(false) };
        let made = guarded(index + 1, || (shared.make)(&view));
        let failed = made.is_err();
        if sender.send((index, made)).is_err() || failed {
            return;
        }
    }
}
