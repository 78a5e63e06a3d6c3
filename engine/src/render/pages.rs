//! Renders the pages of a document in parallel.
//!
//! Each worker is a thread with its own render cache, because threads cannot share a render cache. A job that is
//! cancelled or has exceeded its time limit does not wait for its workers. The workers end at the next look-up of an
//! object, at the next band, or at the end of their page.

use super::cost::{Cost, estimate};
use super::document::Document;
use super::interrupt::guarded;
use super::size::{Scale, pixels_of};
use crate::{EngineError, Job, Limits};
use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::Affine;
use hayro::vello_cpu::color::palette::css::{TRANSPARENT, WHITE};
use hayro::vello_cpu::{PixmapMut, RasterizerSettings, RenderContext, Resources, TargetInit};
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

/// The stack size of a worker in bytes. It is large, because each level of nested forms takes space on the stack.
const STACK: usize = 64 << 20;
/// How often a waiting job checks whether it was cancelled or has exceeded its time limit.
const TICK: Duration = Duration::from_millis(20);
/// The number of pages after which a worker clears its render cache. Otherwise the cache would keep all fonts and
/// glyphs of the document.
const PAGES_PER_CACHE: usize = 200;

/// One page, ready to be rendered.
pub(crate) struct PageView<'a> {
    document: &'a Document,
    index: usize,
    page: &'a Page<'a>,
    cache: &'a RenderCache<'a>,
    spare: &'a Spare,
    reduced: Cell<bool>,
}

impl<'a> PageView<'a> {
    /// The page's index, counted from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The page's width and height as shown, in user units.
    pub fn size(&self) -> (f64, f64) {
        let (width, height) = self.page.render_dimensions();
        (width.into(), height.into())
    }

    /// The page's user unit, in points.
    pub fn unit(&self) -> f64 {
        let unit = self.page.raw().get::<f32>(b"UserUnit").map_or(1.0, f64::from);
        if (0.001..=10_000.0).contains(&unit) { unit } else { 1.0 }
    }

    pub fn page(&self) -> &'a Page<'a> {
        self.page
    }

    /// The scale at which the page has this many pixels. If these are too many, the scale at which the page has fewer;
    /// then [`reduced`](Self::reduced) is true.
    ///
    /// # Errors
    /// [`EngineError::Limit`] if the size of the page is not finite.
    pub fn scaled(&self, pixels: (f64, f64), limits: &Limits) -> Result<Scale, EngineError> {
        let (scale, reduced) = Scale::fitting(self.size(), pixels, limits)?;
        self.reduced.set(self.reduced.get() || reduced);
        Ok(scale)
    }

    /// The scale of the page at the default resolution, or at the lower resolution that keeps the page within `cap` and
    /// within the limits.
    ///
    /// # Errors
    /// The errors of [`scaled`](Self::scaled).
    pub fn at_resolution(&self, cap: Option<PixelSize>, limits: &Limits) -> Result<Scale, EngineError> {
        self.scaled(pixels_of(self.size(), self.unit(), cap), limits)
    }

    /// Whether the page has fewer pixels than requested.
    pub fn reduced(&self) -> bool {
        self.reduced.get()
    }

    /// Renders the page on a white background. Each pixel has four bytes; the fourth is 255.
    ///
    /// # Errors
    /// The errors of [`Document::with_interrupt_points`].
    pub fn on_white(&self, scale: Scale) -> Result<Sheet<'_>, EngineError> {
        self.render(scale, WHITE, None)
    }

    /// Renders the page as [`on_white`](Self::on_white) does, but without antialiasing.
    ///
    /// # Errors
    /// The errors of [`on_white`](Self::on_white).
    pub fn on_white_with_hard_edges(&self, scale: Scale) -> Result<Sheet<'_>, EngineError> {
        self.render(scale, WHITE, Some(127))
    }

    /// Renders the page on a transparent background. The bytes of a pixel are red, green, blue and alpha; the colours
    /// are not premultiplied by alpha.
    ///
    /// # Errors
    /// The errors of [`on_white`](Self::on_white).
    pub fn on_transparent(&self, scale: Scale) -> Result<Sheet<'_>, EngineError> {
        let mut pixels = self.render(scale, TRANSPARENT, None)?;
        for pixel in pixels.bytes.as_chunks_mut::<4>().0 {
            let [r, g, b, a] = *pixel;
            if a != 0 && a != u8::MAX {
                let part =
                    |value: u8| ((u32::from(value) * 255 + u32::from(a) / 2) / u32::from(a)).min(255) as u8;
                *pixel = [part(r), part(g), part(b), a];
            }
        }
        Ok(pixels)
    }

    fn render(
        &self,
        scale: Scale,
        background: Background,
        aliasing_threshold: Option<u8>,
    ) -> Result<Sheet<'_>, EngineError> {
        let cost = estimate(self.page, scale, self.document.stop());
        let bands = Bands::of(scale, &cost);
        let stride = usize::from(scale.width) * 4;
        let mut pixels = self.spare.sheet(stride * usize::from(scale.height));
        let settings = RenderSettings { aliasing_threshold, ..RenderSettings::default() };
        let painting = Painting { scale, background, settings };
        if cost.seconds >= INTERRUPTIBLE_SECONDS {
            let interruptible = self.document.with_interrupt_points()?;
            let Some(page) = interruptible.pages().get(self.index) else {
                return Err(EngineError::Damaged(format!("page {} cannot be read", self.index + 1)));
            };
            self.paint_in(&bands, page, &RenderCache::new(), &painting, &mut pixels.bytes)?;
        } else if bands.count() > 1 {
            self.paint_in(&bands, self.page, self.cache, &painting, &mut pixels.bytes)?;
        } else {
            let mut context = self.spare.context(scale.width, scale.height);
            painting.paint(self.page, self.cache, 0, &mut context, &mut pixels.bytes);
            self.spare.keep(context, scale, &cost);
        }
        Ok(pixels)
    }

    fn paint_in<'p>(
        &self,
        bands: &Bands,
        page: &'p Page<'p>,
        cache: &RenderCache<'p>,
        painting: &Painting,
        pixels: &mut [u8],
    ) -> Result<(), EngineError> {
        let stride = usize::from(painting.scale.width) * 4;
        let tops = (0..bands.page_height).step_by(bands.height.into());
        for (top, rows) in tops.zip(pixels.chunks_mut(stride * usize::from(bands.height))) {
            self.document.stop().proceed()?;
            let mut context = new_context(painting.scale.width, (rows.len() / stride) as u16);
            painting.paint(page, cache, top, &mut context, rows);
        }
        Ok(())
    }
}

type Background = hayro::vello_cpu::color::AlphaColor<hayro::vello_cpu::color::Srgb>;

/// A page whose estimated time in seconds is at least this is painted with interrupt points between its shapes.
const INTERRUPTIBLE_SECONDS: f64 = 0.1;

/// The horizontal bands of a page. A page is painted band by band, so that each step takes only a short time.
struct Bands {
    page_height: u16,
    height: u16,
}

impl Bands {
    fn of(scale: Scale, cost: &Cost) -> Self {
        const MOST_BYTES: f64 = 512.0 * 1024.0 * 1024.0;
        const MOST_PIXELS: f64 = 16e6;
        const LOWEST: u16 = 32;
        let pixels = f64::from(scale.width) * f64::from(scale.height);
        let parts =
            (cost.longest / INTERRUPTIBLE_SECONDS).max(cost.bytes / MOST_BYTES).max(pixels / MOST_PIXELS);
        let height = (f64::from(scale.height) / parts.max(1.0)).ceil() as u16;
        Self { page_height: scale.height, height: height.max(LOWEST).min(scale.height) }
    }

    fn count(&self) -> u16 {
        self.page_height.div_ceil(self.height)
    }
}

/// Memory that was allocated for the previous page, for use by the next page.
#[derive(Default)]
struct Spare {
    pixels: Cell<Vec<u8>>,
    context: Cell<Option<RenderContext>>,
}

impl Spare {
    /// The memory for the pixels of a page, with this number of bytes. The content of the bytes is arbitrary.
    fn sheet(&self, bytes: usize) -> Sheet<'_> {
        let mut memory = self.pixels.take();
        if memory.capacity() < bytes {
            // The operating system provides memory that is already zero, so that `vec!` need not write to the memory.
            memory = vec![0; bytes];
        }
        memory.resize(bytes, 0);
        Sheet { bytes: memory, spare: &self.pixels }
    }

    fn context(&self, width: u16, height: u16) -> RenderContext {
        match self.context.take() {
            Some(mut context) => {
                context.reset_and_resize(width, height);
                context
            }
            None => new_context(width, height),
        }
    }

    fn keep(&self, mut context: RenderContext, scale: Scale, cost: &Cost) {
        const MOST_PIXELS: u32 = 16 << 20;
        let pixels = u32::from(scale.width) * u32::from(scale.height);
        // A context that has taken much memory is not kept.
        if pixels <= MOST_PIXELS && cost.bytes == 0.0 {
            context.reset();
            self.context.set(Some(context));
        }
    }
}

fn new_context(width: u16, height: u16) -> RenderContext {
    let settings = hayro::vello_cpu::RenderSettings { num_threads: 0, ..Default::default() };
    RenderContext::new_with(width, height, settings)
}

/// The settings with which a page is painted.
struct Painting {
    scale: Scale,
    background: Background,
    settings: RenderSettings,
}

impl Painting {
    /// Paints the rows of a page from `top` on.
    fn paint<'p>(
        &self,
        page: &'p Page<'p>,
        cache: &RenderCache<'p>,
        top: u16,
        context: &mut RenderContext,
        rows: &mut [u8],
    ) {
        let transform = Affine::translate((0.0, -f64::from(top)))
            * Affine::scale_non_uniform(self.scale.x, self.scale.y)
            * hayro::hayro_interpret::util::TransformExt::to_kurbo(&page.initial_transform(true));
        render_into(page, cache, &InterpreterSettings::default(), &self.settings, context, transform);
        context.flush();
        if let Some(target) = PixmapMut::new(context.width(), context.height(), rows) {
            let init = TargetInit::Clear(self.background);
            let settings = RasterizerSettings { target_init: init, ..Default::default() };
            context.render_with(target, &mut Resources::default(), settings);
        }
    }
}

/// The pixels of a page. The memory of these pixels is reused for the next page.
pub(crate) struct Sheet<'a> {
    bytes: Vec<u8>,
    spare: &'a Cell<Vec<u8>>,
}

impl std::ops::Deref for Sheet<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Sheet<'_> {
    fn drop(&mut self) {
        const MOST_KEPT: usize = 64 << 20;
        if self.bytes.capacity() <= MOST_KEPT {
            self.spare.set(std::mem::take(&mut self.bytes));
        }
    }
}

/// Calls `make` for every page, on all processor cores, and calls `take` with each result, in the order of the pages.
///
/// # Errors
/// The first error of `make` or `take`, and the errors of [`Job::proceed`].
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
    let _stop_on_drop = StopOnDrop(document);
    for _ in 0..workers {
        let (document, shared, sender) = (document.clone(), shared.clone(), sender.clone());
        let worker = thread::Builder::new().name("recto-render".to_owned()).stack_size(STACK);
        worker.spawn(move || work(&document, &shared, &sender)).map_err(|error| {
            EngineError::Internal(format!("cannot start a thread for rendering: {error}"))
        })?;
    }
    drop(sender);
    let mut early = BTreeMap::new();
    let mut done = 0;
    while done < total {
        job.proceed()?;
        match receiver.recv_timeout(TICK) {
            Ok((index, Ok(made))) => early.insert(index, made),
            Err(RecvTimeoutError::Timeout) => continue,
            // If the job itself has ended, this is why the worker failed, so the error of the job is returned.
            Ok((_, Err(error))) => return job.proceed().and(Err(error)),
            Err(RecvTimeoutError::Disconnected) => {
                let ended = EngineError::Internal("a rendering thread ended unexpectedly".to_owned());
                return job.proceed().and(Err(ended));
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

/// Stops the workers when the job ends for any reason.
struct StopOnDrop<'a>(&'a Document);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop().request();
    }
}

fn work<T, M: Fn(&PageView<'_>) -> Result<T, EngineError>>(
    document: &Document,
    shared: &Shared<M>,
    sender: &SyncSender<(usize, Result<T, EngineError>)>,
) {
    let pages = document.pages();
    let spare = Spare::default();
    let mut cache = RenderCache::new();
    let mut cached = 0;
    loop {
        let index = shared.next.fetch_add(1, Ordering::Relaxed);
        let Some(page) = pages.get(index) else { return };
        if document.stop().is_requested() {
            return;
        }
        if cached == PAGES_PER_CACHE {
            (cache, cached) = (RenderCache::new(), 0);
        }
        cached += 1;
        let view =
            PageView { document, index, page, cache: &cache, spare: &spare, reduced: Cell::new(false) };
        let made = guarded(index + 1, || (shared.make)(&view));
        let failed = made.is_err();
        if sender.send((index, made)).is_err() || failed {
            return;
        }
    }
}
