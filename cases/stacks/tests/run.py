"""Builds the programs of this case and holds what they print against numbers worked out here: `make test`."""

import os
import pathlib
import subprocess
import sys

CASE = pathlib.Path(__file__).resolve().parent.parent
DRAWS, DEEPEST, SITES = 65536, 4096, 4
WORD = 2**64
KINDS = {
    "staying": ["in_a_local_array", "changed_on_the_way", "in_a_static_table", "in_a_table_of_differences", "by_choice"],
    "leaving": [
        "in_a_static_array", "in_memory_from_elsewhere", "through_a_function", "through_a_volatile", "put_by_a_function",
        "across_calls",
    ],
}


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def choices(pattern):
    state, all_of_them = 0x9E3779B97F4A7C15, []
    for i in range(DRAWS + DEEPEST):
        state ^= state << 13 & (WORD - 1)
        state ^= state >> 7
        state ^= state << 17 & (WORD - 1)
        all_of_them.append({"same": 0, "cycle": i % SITES, "random": (state >> 32) % SITES}[pattern])
    return all_of_them


def walked(pattern, depth, levels):
    drawn, total, at = choices(pattern), 0, 0
    for _ in range(0, levels, depth):
        result = 1
        for place in reversed(drawn[at : at + depth]):
            result = (result * 3 + place) % WORD
        total = (total * 31 + result) % WORD
        at = (at + depth) % DRAWS
    return f"{pattern} {depth}: {total:016x}\n"


def labels(kind):
    numbers = " ".join(str(fibonacci(n)) for n in range(19))
    return "".join(f"{name:<26} {numbers}\n" for name in KINDS[kind])


def printed(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60)


def cases(out):
    for form in ("native", "jumps"):
        for saying in ("", "-saying"):
            for n, times in ((0, 1), (1, 3), (20, 7)):
                said = "computing\ncomputed\n" if saying else ""
                yield (out / f"fib-{form}{saying}", n, times), 0, f"{said}sum {fibonacci(n) * times}\n"
        yield (out / f"fib-{form}", 91, 1), 2, None
        yield (out / f"fib-{form}",), 2, None
        for pattern in ("same", "cycle", "random"):
            for depth, levels in ((1, 5), (8, 1000), (1024, 70000), (4096, 4096)):
                yield (out / f"walk-{form}", pattern, depth, levels), 0, walked(pattern, depth, levels)
        for wrong in (("other", 8, 8), ("same", 0, 8), ("same", 4097, 8), ("same", 8)):
            yield (out / f"walk-{form}", *wrong), 2, None
    for kind in KINDS:
        yield (out / "labels", kind, 2), 0, labels(kind)
        yield ("cat", CASE / "labels" / f"{kind}.out"), 0, labels(kind)
    yield (out / "labels", "neither", 1), 2, None


def main():
    out = pathlib.Path(sys.argv[1])
    settings = [f"{name}={os.environ[name]}" for name in ("CC", "CFLAGS", "LDFLAGS") if name in os.environ]
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    for goals in (["FORM=native"], ["FORM=jumps"], ["FORM=native", "SAYING=yes"], ["FORM=jumps", "SAYING=yes"], ["labels"]):
        command = ["make", "-s", "-C", CASE, f"OUT={out}", *goals, *settings]
        made = subprocess.run(command, capture_output=True, text=True, env=environment)
        if made.returncode != 0 or "warning:" in made.stderr:
            sys.exit(f"{' '.join(goals)}: the build failed, or warns\n{made.stderr}")
    passed = 0
    for command, code, wanted in cases(out):
        found = printed(*command)
        if found.returncode != code or (wanted is not None and found.stdout != wanted):
            sys.exit(f"{command}\n  wanted {code} {wanted!r}\n  found  {found.returncode} {found.stdout!r}{found.stderr}")
        passed += 1
    print(f"{passed} passed")


main()
