"""Recordings: comparisons of a fixed number of blocks, kept as the tool's own evidence, one after the other until the time is up."""

import hashlib
import json
import os
import subprocess
import time

from pairs import EFFECTS, KINDS, PROGRAMS, WAYS


def zero_cells(only, rounds, number):
    """The 0 % pairs: every kind of every program, the ways spread over them, and moved on by one with each pass, so that each way meets each
    kind and each program. Blocks of a single round have a spread that is often above the margin, and all looks are then taken."""
    ways = list(WAYS.items())
    for row, program in enumerate(PROGRAMS):
        if only and program not in only:
            continue
        for column, (kind, (base, new, options)) in enumerate(KINDS.items()):
            way, more = ways[(row + column + number) % len(ways)]
            name = f"0%/{program}/{kind}/{way}" + {1: ", one round", None: ", own rounds"}.get(rounds, "")
            yield name, f"{program}.{base}", f"{program}.{new}", options + more


def effect_cells(only, ways, effects=EFFECTS):
    """The pairs of a known size."""
    for way in ways:
        for effect in effects:
            for program in (p for p in PROGRAMS if not only or p in only):
                yield f"{effect}/{program}/data word/{way}", f"{program}.base", f"{program}.{effect}", WAYS[way]


def path_of(folder, cell, number):
    return os.path.join(folder, "recordings", f"{cell.replace('/', '_').replace(' ', '-')}.{number}.json")


def record(proofmark, folder, cell, number, base, new, options, blocks, rounds, lean=True):
    """One recording; what an interruption left of it is continued. Lean leaves out the arms that no verdict needs. Returns its seconds."""
    path = path_of(folder, cell, number)
    if os.path.exists(path):
        return 0.0
    began = time.monotonic()
    # A seed of its own for each recording, the same when it is continued.
    seed = str(hash_of(f"{cell}#{number}"))
    command = [proofmark, "--store", os.path.join(folder, "evidence"), "compare", base, new, "--json", "--seed", seed]
    command += ["--blocks", blocks, *(["--rounds", str(rounds)] if rounds else [])]
    command += ["--skip", "as-shipped,instructions", "--certificate", "off"] if lean else []
    command += [*options, "--", "{}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr[-2000:]}")
    report = json.loads(done.stdout)
    took = time.monotonic() - began
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w") as file:
        load = os.getloadavg()[0]
        json.dump({"cell": cell, "seconds": took, "load": load, "at": time.time(), "command": command[1:], "report": report}, file)
    os.replace(path + ".new", path)
    return took


def add(folder, cell, number, name, value):
    """Puts something beside a recording that was made."""
    path = path_of(folder, cell, number)
    recording = json.load(open(path))
    recording[name] = value
    with open(path + ".new", "w") as file:
        json.dump(recording, file)
    os.replace(path + ".new", path)


def hash_of(text):
    """A number below 2^31 that is the same in every run, unlike Python's own hash."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1
