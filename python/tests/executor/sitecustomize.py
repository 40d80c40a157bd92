"""Kills the executor that this process belongs to, in the middle of a call, where a test asks for it.

Python imports this file when it starts. `$KILL_DIR/scan` has the number of the call of `scan` whose executor is killed,
counted over all executors, and the event on which it is killed, such as `2 started`; `$KILL_DIR/resolve` likewise.
"""

import functools
import os
import signal
from pathlib import Path

import crawlprefs

FOLDER = Path(os.environ["KILL_DIR"])
# This process is the one from which Spark forks its workers; its parent is the executor.
EXECUTOR = os.getppid()


def number_of_call(stage: str) -> int:
    """Returns how many calls there were with this one."""
    number = 0
    while True:
        number += 1
        try:
            os.close(os.open(FOLDER / f"{stage}.{number}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        return number


def watched(stage: str, call):
    """Returns `call`, which kills its executor where that is asked for."""

    @functools.wraps(call)
    def calling(*arguments, progress=None, **options):
        asked = FOLDER / stage
        if not asked.exists():
            return call(*arguments, progress=progress, **options)
        wanted, kind = asked.read_text().split()
        number = number_of_call(stage)

        def on_event(event):
            if progress is not None:
                progress(event)
            if number == int(wanted) and event["event"] == kind:
                (FOLDER / f"{stage}.killed").touch()
                os.kill(EXECUTOR, signal.SIGKILL)
                os._exit(1)

        return call(*arguments, progress=on_event, **options)

    return calling


crawlprefs.scan = watched("scan", crawlprefs.scan)
crawlprefs.resolve = watched("resolve", crawlprefs.resolve)
