"""Checks the ideas of this case: `python3 tests/run.py`, after `./fetch`.

Each patch applies where proofmark.toml puts it, alone and on the stack. What is built of it answers
drawn graphs as base does, prints what base prints on each benchmark, and comes through the round
trips; but for `gather`, which is wrong on graphs with cycles."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib

CASE = pathlib.Path(__file__).resolve().parent.parent
FILE = tomllib.loads((CASE / "proofmark.toml").read_text())
ENV = {**os.environ, "PYTHONHOME": str(CASE / "fetched/home"), "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
SMALL = {"tuple": 50, "dict": 5, "code": 3, "dumps": 3, "import": 16, "library": 40}
WRONG = "gather"
SEEDS = 60


def ran(*command, env=None, cwd=CASE, code=0):
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=env, capture_output=True)
    if code is not None and done.returncode != code:
        sys.exit(f"{command} ended with {done.returncode}\n{done.stdout.decode()}{done.stderr.decode()}")
    return done


def built(tree, ideas):
    """Base's tree with its marshal.c patched, where make goes on with what is there."""
    shutil.copy(CASE / "fetched/source/Python/marshal.c", tree / "Python/marshal.c")
    for idea in ideas:
        ran("git", "apply", CASE / FILE["idea"][idea]["patch"], cwd=tree)
    made = ran("make", "--silent", f"-j{os.cpu_count()}", "python", cwd=tree)
    if b"marshal.c" in made.stderr:
        sys.exit(f"{ideas}: the build warns\n{made.stderr.decode()}")
    return tree / "python"


def graphs(out):
    out.mkdir()
    for seed in range(SEEDS):
        (out / str(seed)).write_bytes(ran(sys.executable, "-B", CASE / "tests/graph.py", "make", seed).stdout)
    return [out / str(seed) for seed in range(SEEDS)]


def answers(image, inputs):
    shown = [ran(image, "-S", "tests/graph.py", "show", one, env=ENV, code=None) for one in inputs]
    printed = [ran(image, "-S", "bench.py", kind, n, env=ENV) for kind, n in SMALL.items()]
    return [(one.returncode, one.stdout) for one in [*shown, *printed]]


def wrong_rounds(image):
    lines = ran(image, "-S", "tests/graph.py", "rounds", 500, env=ENV).stdout.decode().splitlines()
    return sum(line.startswith("not ok") for line in lines)


def main():
    stack = FILE["stack"]["all"]["ideas"]
    cells = [[], *[[idea] for idea in FILE["idea"]], *[stack[:n] for n in range(2, len(stack) + 1)]]
    with tempfile.TemporaryDirectory() as folder:
        tree, inputs = pathlib.Path(folder) / "tree", graphs(pathlib.Path(folder) / "graphs")
        shutil.copytree(CASE / "fetched/base", tree, symlinks=True)
        ran("git", "init", "-q", cwd=tree)  # so that git applies here, whatever is around
        expected = None
        for ideas in cells:
            image = built(tree, ideas)
            name, got, wrong = " + ".join(ideas) or "base", answers(image, inputs), wrong_rounds(image)
            expected = expected or got
            differ = sum(mine != theirs for mine, theirs in zip(got, expected, strict=True))
            if (WRONG in ideas) != bool(wrong) or (WRONG in ideas) != bool(differ):
                sys.exit(f"{name}: {differ} of {len(got)} answers differ, {wrong} of 5 sets of round trips are wrong")
            print(f"{name}: {differ} of {len(got)} answers differ, {wrong} of 5 sets of round trips are wrong", flush=True)


main()
