"""Checks the ideas of this case: `python3 tests/run.py [CC]`.

Each patch applies where proofmark.toml puts it, alone and in the stacks. What is built passes the library's tests, answers drawn
graphs as base does, and prints what base prints on each benchmark; but for `late`, which is wrong on graphs with cycles."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib

CASE = pathlib.Path(__file__).resolve().parent.parent
FILE = tomllib.loads((CASE / "proofmark.toml").read_text())
WRONG = "late"
SEEDS = 60


def ran(*command, cwd=CASE, code=0):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True)
    if code is not None and done.returncode != code:
        sys.exit(f"{command} ended with {done.returncode}\n{done.stdout.decode()}{done.stderr.decode()}")
    return done


def below(idea):
    on = FILE["idea"][idea].get("on", [])
    return [one for name in ([on] if isinstance(on, str) else on) for one in [*below(name), name]]


def built(out, name, ideas, cc):
    tree = out / name
    shutil.copytree(CASE / "library", tree, ignore=shutil.ignore_patterns("build"))
    ran("git", "init", "-q", cwd=tree)  # so that git applies here, whatever is around
    for idea in ideas:
        ran("git", "apply", CASE / FILE["idea"][idea]["patch"], cwd=tree)
    made = ran("make", "-s", "-j2", f"CC={cc}", "CFLAGS=-O1", cwd=tree)
    if b"warning:" in made.stderr:
        sys.exit(f"{name}: the build warns\n{made.stderr.decode()}")
    return tree / "build/parcel"


def graphs(out):
    out.mkdir()
    for seed in range(SEEDS):
        (out / str(seed)).write_bytes(ran("python3", "-B", CASE / "tests/graph.py", seed).stdout)
    return [out / str(seed) for seed in range(SEEDS)]


def answers(image, inputs):
    shown = [ran(image, "show", one, code=None) for one in inputs]
    return [(one.returncode, one.stdout) for one in shown]


def printed(image):
    names = FILE["benchmark"]
    return {name: ran(image, "bench", name, 2).stdout for name in names}


def failing(image):
    said = ran(image, "test", code=None).stdout.decode().splitlines()
    return [line.split(" - ")[1] for line in said if line.startswith("not ok")]


def main():
    cc = sys.argv[1] if len(sys.argv) > 1 else "cc"
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        base, inputs = built(out, "base", [], cc), graphs(out / "graphs")
        right, sums = answers(base, inputs), printed(base)
        cyclic = [code for code, _ in right].count(0)
        assert failing(base) == [] and 0 < cyclic < SEEDS, cyclic
        alone = {idea: [*below(idea), idea] for idea in FILE["idea"]}
        stacks = {name: stack["ideas"] for name, stack in FILE["stack"].items()}
        for name, ideas in {**alone, **stacks}.items():
            image = built(out, name, ideas, cc)
            differs = answers(image, inputs) != right
            if name == WRONG:
                assert failing(image) == ["cycles", "keys"], failing(image)
                assert differs and printed(image) == sums, "late is wrong on cycles alone"
                continue
            assert failing(image) == [], (name, failing(image))
            assert not differs and printed(image) == sums, name
    print(f"{len(alone) + len(stacks) + 1} builds are as they must be")


main()
