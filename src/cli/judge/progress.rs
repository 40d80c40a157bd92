//! How far `judge` is: a bar on a terminal, else a line a minute, such as `3/12 files, 1,234,567 documents, 45,000/s`.

use crate::cli::counts::JudgeState;
use crate::cli::event::CommandEvent;
use crate::cli::log::{Form, Log};
use crate::cli::progress::ticking;
use crawlprefs::judge::files::FilesProgress;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal, stderr};
use std::time::{Duration, Instant};

/// Time between two lines, where no terminal has a bar; any number of this size.
const PERIOD: Duration = Duration::from_mins(1);

/// Judges files, and shows meanwhile how far it is, unless nothing is to be shown.
pub fn watched<T>(
    log: &Log,
    progress: &FilesProgress,
    of_files: usize,
    work: impl FnOnce() -> T,
) -> io::Result<T> {
    let begun = Instant::now();
    let state = || {
        let (files, documents) = progress.counts();
        let per_second = documents / begun.elapsed().as_secs().max(1);
        JudgeState {
            files,
            of_files: of_files as u64,
            documents,
            per_second,
        }
    };
    let bar = (stderr().is_terminal() && log.form == Form::Text)
        .then(|| log.bar.get_or_init(|| bar(of_files)));
    let mut line_at = begun + PERIOD;
    let tick = || match bar {
        Some(bar) => {
            let state = state();
            bar.set_position(state.files);
            bar.set_message(CommandEvent::Judging(state).message());
            bar.tick();
        }
        None if Instant::now() >= line_at => {
            line_at += PERIOD;
            log.write(&CommandEvent::Judging(state()));
        }
        None => {}
    };
    let done = ticking(tick, work);
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    done
}

fn bar(files: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:20}  {wide_msg}");
    ProgressBar::new(files as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
