"""What is built and what is compared: programs, changes that do nothing, and changes of a known size."""

import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))

# Turns of a run of 10 to 30 ms, and what the compiler is told besides.
PROGRAMS = {
    "cpu": (180_000, []),
    "branchy": (55_000, []),
    "alloc": (300_000, []),
    "memory-1m": (800_000, ["-DFOOTPRINT=1024"]),
    "memory-64m": (100_000, ["-DFOOTPRINT=65536"]),
    "lua": (5_000, []),
}

# Changes that leave the work alone: what a build is called, and what the compiler is told.
CHANGES = {
    "cold": ["-DCOLD"],
    "string": ['-DMESSAGE="usage: this program takes no arguments at all, whatever they may be called; none\\n"'],
    "unused": ["-DUNUSED"],
    "renamed": ["-DRENAMED"],
}

EFFECTS = {"+1%": 1.01, "+2%": 1.02, "+5%": 1.05, "+10%": 1.10}

# Equal work over different footprints, in KiB. Slices would have each evict the other's cache.
FOOTPRINTS = {"walk-0.75m": (600_000, 768), "walk-1.5m": (600_000, 1536)}

# The 0 % pairs: kind → (base, new, options). `twice` is a second capture of the same sources from another folder.
KINDS = {
    "one build, independent layouts": ("base", "base", ["--layouts", "independent"]),
    "one build, matched layouts": ("base", "base", ["--layouts", "matched"]),
    "cold code changed": ("base", "cold", []),
    "string changed": ("base", "string", []),
    "unused function added": ("base", "unused", []),
    "functions renamed": ("base", "renamed", []),
    "captured twice": ("base", "twice", []),
}

# How runs share the machine, and which layouts are drawn from.
WAYS = {
    "auto, pad": [],
    "sliced, pad": ["--schedule", "sliced"],
    "interleaved, pad": ["--schedule", "interleaved"],
    "auto, shuffle": ["--population", "shuffle"],
}


def bound(program, factor):
    return round(PROGRAMS[program][0] * factor)


def wanted():
    """Every build: name → (folder of its objects, program, bound, words for the compiler)."""
    builds = {}
    for program, (turns, words) in PROGRAMS.items():
        builds[f"{program}.base"] = (program, program, turns, words)
        for change, more in CHANGES.items():
            builds[f"{program}.{change}"] = (program, program, turns, words + more)
        for effect, factor in EFFECTS.items():
            builds[f"{program}.{effect}"] = (program, program, bound(program, factor), words)
        builds[f"{program}.twice"] = (program + "-again", program, turns, words)
    for name, (turns, kib) in FOOTPRINTS.items():
        builds[name] = ("memory-walk", "memory", turns, [f"-DFOOTPRINT={kib}"])
    return builds


def lua_sources():
    """Lua 5.4 as the crate that the demo is made of carries it."""
    root = os.path.join(HERE, "..", "..")
    command = ["cargo", "metadata", "--format-version", "1", "--manifest-path", os.path.join(root, "Cargo.toml")]
    packages = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["packages"]
    crate = os.path.dirname(next(p["manifest_path"] for p in packages if p["name"] == "lua-src"))
    return os.path.join(crate, max(name for name in os.listdir(crate) if name.startswith("lua-5.4")))


def capture_all(proofmark, folder, only, say):
    """Captures what is not captured yet."""
    environment = dict(os.environ, LUA=lua_sources())
    store = os.path.join(folder, "evidence")
    listed = subprocess.run([proofmark, "--store", store, "builds", "list"], capture_output=True, text=True).stdout
    for name, (objects, program, turns, words) in wanted().items():
        if only and program not in only and not (program == "memory" and "walk" in only):
            continue
        if any(line.split()[:1] == [name] for line in listed.splitlines()):
            continue
        say(f"capturing {name}")
        place = os.path.join(folder, "builds", objects)
        command = [os.path.join(HERE, "build.sh"), place, program, str(turns), *words]
        subprocess.run([proofmark, "--store", store, "capture", name, "--", *command], check=True, env=environment, stdout=subprocess.DEVNULL)


def build_plain(folder, program, turns, words, out):
    """A build that is run on its own: the start-up's truth and the peers."""
    place = os.path.join(folder, "plain", program)
    command = [os.path.join(HERE, "build.sh"), place, program, str(turns), *words]
    subprocess.run(command, check=True, env=dict(os.environ, LUA=lua_sources()))
    os.makedirs(os.path.dirname(out), exist_ok=True)
    os.replace(os.path.join(place, "program"), out)
