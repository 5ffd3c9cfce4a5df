"""Is the history what the case says? `python3 tests/run.py [--quick] [COMPILER…]`; gcc without a word.

Of every commit (--quick: of every tag) one class is compiled, and its object read: all classes are alike, so that its length
is the distance between the hot functions of two neighbours. That is all with --quick. The merge and the commit before it are built whole: what they print is held against the
file `expected`, and the addresses of the hot functions are read from the linked program."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CASE = pathlib.Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(CASE))
import steps

LINE = 64
FLAGS = ("-std=gnu11", "-O2", "-falign-functions=64")
# Lines of the instruction cache from one class to the next, since which tag.
LINES = {"begin": (57, 58), "regression": (59, 61), "data": (61,), "trunk": (62,), "merge": (64,), "last": (64,)}
LINES |= {"back": (65,), "gain": (65,), "main": (67,)}


def run(*words, cwd=None):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "MAKE", "MFLAGS"))}
    done = subprocess.run(words, cwd=cwd, env=kept, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found}, and not {expected}")


def sections(path):
    """Name -> size of the executable sections of an object."""
    rows = re.findall(r"^\s+\d+ (\.text\S*)\s+([0-9a-f]+) ", run("objdump", "-h", path), re.MULTILINE)
    return {name: int(size, 16) for name, size in rows if int(size, 16)}


def lines(compiler, tree, out):
    """How many lines of the cache a class takes. It has one section of code: cold parts would stand elsewhere."""
    run(compiler, *FLAGS, "-Isrc", "-c", "-o", out, "src/classes/kite.c", cwd=tree)
    found = sections(out)
    check(f"{compiler}: sections of code", list(found), [".text"])
    return -(-found[".text"] // LINE)


def steps_of(image):
    """Addresses of the hot functions, in the order of the classes."""
    symbols = re.findall(r"^([0-9a-f]+) \w (\w+)_step$", run("nm", image), re.MULTILINE)
    places = {name: int(address, 16) for address, name in symbols}
    check("hot functions", sorted(places), sorted(steps.BIRDS))
    return [places[name] for name in sorted(places)]


def whole(compiler, tree):
    run("make", "-s", f"-j{os.cpu_count()}", f"CC={compiler}", "check", cwd=tree)
    return steps_of(tree / "build/bench")


def history(repository, compiler, scratch, quick):
    tags = {name: run("git", "rev-parse", name, cwd=repository).strip() for name in run("git", "tag", cwd=repository).split()}
    commits = list(tags.values()) if quick else run("git", "rev-list", "main", cwd=repository).split()
    newest = run("git", "rev-parse", "main", cwd=repository).strip()
    found = {}
    for commit in {*commits, newest}:
        run("git", "checkout", "-q", commit, cwd=repository)
        found[commit] = lines(compiler, repository, scratch / "class.o")
    for tag, expected in LINES.items():
        count = found[tags.get(tag, newest)]
        if count not in expected:
            sys.exit(f"{compiler}: a class takes {count} lines at {tag}, and not {expected}")
    at_peak = run("git", "rev-list", "--first-parent", "merge^..last", cwd=repository).split()
    full = [commit for commit in commits if found[commit] % 64 == 0]
    if quick:
        return
    check(f"{compiler}: commits with a class of 64 lines", sorted(full), sorted(at_peak))
    for commit in set(commits) - set(full):
        if found[commit] % 4 == 0 and found[commit] != 58:
            sys.exit(f"{compiler}: {commit} has {found[commit]} lines, of which a few sets would have to hold all")


def places(repository, compiler):
    run("git", "checkout", "-q", "merge", cwd=repository)
    at_peak = whole(compiler, repository)
    check("offsets of hot functions within 4096 at the merge", len({place % 4096 for place in at_peak}), 1)
    run("git", "checkout", "-q", "merge^1", cwd=repository)
    check("sets of hot functions before the merge", len({place % 4096 // LINE for place in whole(compiler, repository)}), 32)


def main():
    words = sys.argv[1:]
    quick = "--quick" in words
    compilers = [word for word in words if word != "--quick"] or ["gcc"]
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        repository = scratch / "git"
        run(CASE / "make-history", repository)
        check("the newest commit", run("git", "rev-parse", "main", cwd=repository).strip(), (CASE / "tests/newest").read_text().strip())
        for compiler in compilers:
            history(repository, compiler, scratch, quick)
            if not quick:
                places(repository, compiler)
            print(f"{compiler}: as the case says")
        if quick:
            return
        if shutil.which("hg"):
            run(CASE / "make-history", scratch / "hg", "--hg")
            both = (run("git", "rev-list", "--count", "main", cwd=repository), run("hg", "log", "--template", "x", cwd=scratch / "hg"))
            check("changesets of Mercurial", len(both[1]), int(both[0]))
            git_files = run("git", "ls-tree", "-r", "--name-only", "main", cwd=repository).split()
            check("files of Mercurial", sorted(run("hg", "files", cwd=scratch / "hg").split()), sorted(git_files))
        else:
            print("skipped: needs hg")


main()
