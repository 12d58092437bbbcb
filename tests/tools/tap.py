"""TAP for the Python tests: a plan at the end, one line a check."""

import sys


class Checks:
    def __init__(self):
        self.count = self.failed = 0

    def check(self, name, good, seen=""):
        self.count += 1
        self.failed += not good
        print("%sok %d - %s" % ("" if good else "not ", self.count, name))
        if not good:
            for row in str(seen).splitlines() or [""]:
                print("# " + row)
        sys.stdout.flush()

    def same(self, name, got, wanted):
        self.check(name, got == wanted, "got    %r\nwanted %r" % (got, wanted))

    def has(self, name, text, *parts):
        """The text holds every part."""
        missing = [part for part in parts if part not in str(text)]
        self.check(name, not missing, "got %r\nwithout %r" % (text, missing))

    def done(self):
        print("1..%d" % self.count)
        sys.exit(1 if self.failed else 0)
