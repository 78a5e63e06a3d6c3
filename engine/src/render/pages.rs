//! Rendering pages side by side.
//!
//! Workers are threads of their own: hayro cannot be interrupted within a page, so a job that is cancelled or out of time
//! leaves its workers behind; each ends with its page. Each has a render cache, which cannot be shared.

use super::document::Document;
use super::size::Scale;
use crate::{EngineError, Job};
use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::Affine;
use hayro::vello_cpu::color::palette::css::{TRANSPARENT, WHITE};
use hayro::vello_cpu::peniko::ImageAlphaType;
use hayro::vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources, TargetInit};
use hayro::{RenderCache, RenderSettings, render_into};
use std::collections::BTreeMap;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
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
    let shared = Arc::new(Shared { next: AtomicUsize::new(0), stopped: AtomicBool::new(false), make });
    let _stop_at_the_end = Stop(shared.clone());
    for _ in 0..workers {
        let (document, shared, sender, job) = (document.clone(), shared.clone(), sender.clone(), job.clone());
        let worker = thread::Builder::new().name("recto-render".to_owned()).stack_size(STACK);
        worker
            .spawn(move || work(&document, &shared, &job, &sender))
            .map_err(|error| EngineError::Internal(format!("no thread for rendering: {error}")))?;
    }
    drop(sender);
    let mut early = BTreeMap::new();
    let mut done = 0;
    while done < total {
        job.proceed()?;
        match receiver.recv_timeout(LOOK) {
            Ok((index, made)) => early.insert(index, made?),
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(EngineError::Internal("a renderer ended early".to_owned()));
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
    stopped: AtomicBool,
    make: M,
}

/// Tells the workers to stop, however the job ends.
struct Stop<M>(Arc<Shared<M>>);

impl<M> Drop for Stop<M> {
    fn drop(&mut self) {
        self.0.stopped.store(true, Ordering::Relaxed);
    }
}

fn work<T, M: Fn(&PageView<'_>) -> Result<T, EngineError>>(
    document: &Document,
    shared: &Shared<M>,
    job: &Job,
    sender: &SyncSender<(usize, Result<T, EngineError>)>,
) {
    let pages = document.pages();
    let mut cache = RenderCache::new();
    let mut cached = 0;
    loop {
        let index = shared.next.fetch_add(1, Ordering::Relaxed);
        let Some(page) = pages.get(index) else { return };
        if shared.stopped.load(Ordering::Relaxed) || job.proceed().is_err() {
            return;
        }
        if cached == PAGES_PER_CACHE {
            (cache, cached) = (RenderCache::new(), 0);
        }
        cached += 1;
        let view = PageView { page, cache: &cache };
        // A renderer that panics on a hostile page must cost that job only.
        let made = catch_unwind(AssertUnwindSafe(|| (shared.make)(&view)))
            .unwrap_or_else(|_| Err(EngineError::Damaged(format!("page {} cannot be rendered", index + 1))));
        let failed = made.is_err();
        if sender.send((index, made)).is_err() || failed {
            return;
        }
    }
}
