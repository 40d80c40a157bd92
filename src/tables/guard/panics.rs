//! Panics of packages, as errors.

use std::any::Any;
use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread becomes an error, so that nothing is printed of it.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Makes a call; a panic in it is an error. What the call has changed must not be used after that.
pub fn guarded<T>(call: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic: &PanicHookInfo<'_>| {
            if !IS_GUARDED.try_with(Cell::get).unwrap_or_default() {
                before(panic);
            }
        }));
    });
    let was_guarded = IS_GUARDED.replace(true);
    let called = catch_unwind(AssertUnwindSafe(call));
    IS_GUARDED.set(was_guarded);
    called.unwrap_or_else(|panic| Err(io::Error::other(format!("damaged: {}", text(panic.as_ref())))))
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it cannot be decoded")
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn local_a_panic_is_an_error() {
        let error = guarded(|| -> std::io::Result<()> { panic!("row {}", 7) }).unwrap_err();
        assert_eq!(error.to_string(), "damaged: row 7");
        assert_eq!(guarded(|| Ok(1)).unwrap(), 1);
    }
}
