//! Progress bars on a terminal: one bar for a document, one bar for a batch. If standard error is not a terminal, no
//! bar is shown.

use clap::ArgMatches;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use recto::{Call, Phase};
use recto_interface::printable::printable;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::time::Duration;

/// The time after which a spinner is drawn again.
const TICK: Duration = Duration::from_millis(120);

fn is_wanted(matches: &ArgMatches) -> bool {
    std::io::stderr().is_terminal() && !matches.get_flag("quiet") && !matches.get_flag("json")
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// The progress bar of one document.
pub struct DocumentBar(ProgressBar);

impl DocumentBar {
    pub fn new(label: &str, matches: &ArgMatches) -> Self {
        let target =
            if is_wanted(matches) { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self(ProgressBar::with_draw_target(None, target).with_prefix(printable(label).into_owned()))
    }

    /// Adds a callback to the settings of a call. The callback moves the progress bar.
    pub fn watch(&self, call: Call<'static>) -> Call<'static> {
        let (bar, mut phase) = (self.0.clone(), None);
        if bar.is_hidden() {
            return call;
        }
        call.on_progress(move |progress| {
            if phase != Some(progress.phase) {
                phase = Some(progress.phase);
                bar.reset();
                let (template, doing) = match progress.phase {
                    Phase::Upload => ("{prefix}: {msg} {wide_bar} {bytes}/{total_bytes}", "sending"),
                    Phase::Download => ("{prefix}: {msg} {wide_bar} {bytes}/{total_bytes}", "receiving"),
                    _ => ("{prefix}: {msg} {spinner} {elapsed}", "working"),
                };
                bar.set_style(style(template));
                bar.set_message(doing);
                bar.enable_steady_tick(TICK);
            }
            if let Some(total) = progress.total {
                bar.set_length(total);
            }
            bar.set_position(progress.done);
            ControlFlow::Continue(())
        })
    }

    /// Removes the progress bar.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// The progress bar of a batch.
pub struct BatchBar {
    bar: ProgressBar,
    /// Whether the bar is visible. This value is stored, because the bar is locked while [`Self::suspend`] prints.
    is_visible: bool,
}

impl BatchBar {
    pub fn new(total: usize, matches: &ArgMatches) -> Self {
        let target =
            if is_wanted(matches) { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(total as u64), target);
        bar.set_style(style("{wide_bar} {pos}/{len}, {msg}{elapsed} of about {duration}"));
        bar.enable_steady_tick(TICK);
        let is_visible = !bar.is_hidden() && std::io::stdout().is_terminal();
        Self { bar, is_visible }
    }

    /// Whether both the bar and the printed lines are on a terminal.
    pub fn is_visible(&self) -> bool {
        self.is_visible
    }

    /// Runs `print`, whose output appears above the bar.
    pub fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Moves the bar forward by one document. `failed` is the number of documents that have failed so far.
    pub fn advance(&self, failed: usize) {
        if failed > 0 {
            self.bar.set_message(format!("{failed} failed, "));
        }
        self.bar.inc(1);
    }

    /// Removes the progress bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
