"""Builds every dispatcher that the compiler can build and tests each: `make test`, which sets CC, CFLAGS and LDFLAGS.

The programs against reference.py, the language against the .out files, errors against errors.py; and that all of it together
runs every opcode.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import errors
import reference

HERE = pathlib.Path(__file__).resolve().parent
CASE = HERE.parent
SMALL = {"fib": 15, "loops": 60, "sieve": 2000, "nbody": 50, "methods": 40, "strings": 300, "sort": 500}
LIMIT = 120  # seconds for one program, far above what any needs


def build(dispatch, out):
    """The image's path; or None, with the compiler's own words, when this compiler cannot build this dispatcher."""
    settings = [f"{name}={os.environ[name]}" for name in ("CC", "CFLAGS", "LDFLAGS") if name in os.environ]
    made = subprocess.run(
        ["make", "-C", CASE, f"OUT={out}", f"DISPATCH={dispatch}", *settings],
        capture_output=True, text=True,
        env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")},
    )
    if made.returncode == 0:
        warnings = [line for line in made.stderr.splitlines() if "warning:" in line]
        return pathlib.Path(out) / f"sprig-{dispatch}", warnings
    wanted = re.search(r'#error "?(DISPATCH=.*)', made.stderr)
    if wanted is None:
        sys.exit(f"{dispatch}: the build failed\n{made.stderr}")
    print(f"{dispatch}: not available with this compiler: {wanted[1].strip(chr(34))}")
    return None, []


class Suite:
    def __init__(self, image):
        self.image, self.passed, self.failures, self.used = image, 0, [], set()

    def run(self, path, *arguments):
        done = subprocess.run([self.image, path, *arguments], capture_output=True, timeout=LIMIT)
        error = done.stderr.decode(errors="replace")
        self.used.update(re.findall(r"^ *[0-9]+ +[0-9.]+ % (\w+)$", error, re.M))
        return done.returncode, done.stdout.decode(errors="replace"), error

    def check(self, name, found, wanted):
        if found == wanted:
            self.passed += 1
        else:
            self.failures.append(f"{name}\n  wanted {wanted!r}\n  found  {found!r}")

    def programs(self):
        for name, n in SMALL.items():
            for size in (0, 1, 2, n):
                code, out, error = self.run(CASE / "programs" / f"{name}.sprig", str(size))
                self.check(f"{name} {size}", (code, out), (0, reference.PROGRAMS[name](size) + "\n"))

    def language(self):
        for source in sorted((HERE / "language").glob("*.sprig")):
            code, out, error = self.run(source)
            self.check(source.name, (code, out), (0, source.with_suffix(".out").read_text()))

    def errors(self, folder):
        path = pathlib.Path(folder) / "program.sprig"
        for name, (source, message) in errors.CASES.items():
            path.write_bytes(source.encode("latin-1"))
            code, _, error = self.run(path)
            wanted = message.replace("FILE", str(path))
            self.check(name, (code, wanted in error or error), (1, True))

    def command(self):
        code, _, error = self.run("--nonsense")
        self.check("unknown option", (code, error[:6]), (2, "usage:"))
        code, _, error = self.run("/nonexistent/program.sprig")
        self.check("no file", (code, "cannot open" in error), (1, True))
        code, out, _ = self.run("--check", HERE / "language" / "objects.sprig")
        self.check("--check", (code, out), (0, ""))
        code, out, _ = self.run("--list", CASE / "programs" / "fib.sprig")
        self.check("--list", (code, "call_function" in out), (0, True))
        code, _, error = self.run(CASE / "programs" / "fib.sprig", "many")
        self.check("argument", (code, "must be a number, not 'many'" in error), (1, True))


def main():
    out, failed = sys.argv[1], False
    opcodes = set(re.findall(r"^    X\((\w+),", (CASE / "src" / "opcodes.h").read_text(), re.M))
    for dispatch in ("switch", "goto", "tail", "tail-plain", "count"):
        image, warnings = build(dispatch, out)
        if image is None:
            continue
        suite = Suite(image)
        with tempfile.TemporaryDirectory() as folder:
            suite.programs()
            suite.language()
            suite.errors(folder)
            suite.command()
        if dispatch == "count":
            suite.check("opcodes that no test runs", opcodes - suite.used, set())
        suite.failures += warnings
        failed |= bool(suite.failures)
        print(f"{dispatch}: {suite.passed} passed, {len(suite.failures)} failed")
        for failure in suite.failures:
            print(f"  {failure}")
    sys.exit(failed)


main()
