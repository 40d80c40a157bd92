"""The command `crawlprefs`, in this process."""

import signal
import sys

from . import _native


def main() -> int:
    """Runs the command with the arguments of this process; returns its exit status."""
    if sys.argv[1:2] == ["report"]:
        from ._report._command import report_command

        return report_command(sys.argv[2:])
    if sys.argv[1:2] == ["extract"] and "--package" in sys.argv:
        from ._package_command import package_command

        return package_command(sys.argv[2:])
    # The command handles Ctrl-C itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.command(["crawlprefs", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
