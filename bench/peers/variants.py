"""The builds of a pair: objects compiled once, captured for proofmark, and linked in lld's random layouts for the peers."""

import os
import shutil
import subprocess
import time

import pairs


def words(program, build):
    """Turns and words for the compiler of a build."""
    turns, more = pairs.PROGRAMS[program]
    if build in pairs.EFFECTS:
        turns = pairs.bound(program, pairs.EFFECTS[build])
    return str(turns), more + pairs.CHANGES.get(build, [])


def prepare(setting, program, effects, say):
    """Captures the builds and keeps their objects, compiled with function sections as LLVM's own build has them."""
    for build in ["base", *("unused" if effect == "0%" else effect for effect in effects)]:
        place = os.path.join(setting["folder"], "objects", program, build)
        environment = dict(os.environ, LUA=pairs.lua_sources())
        turns, more = words(program, build)
        if not os.path.exists(os.path.join(place, "program")):
            say(f"compiling {program}.{build}")
            first = os.path.join(setting["folder"], "objects", program, "base")
            if build != "base":
                shutil.copytree(first, place, dirs_exist_ok=True)
                os.remove(os.path.join(place, "program"))
            sections = dict(environment, CC="cc -ffunction-sections -fdata-sections")
            subprocess.run([os.path.join(pairs.HERE, "build.sh"), place, program, turns, *more], check=True, env=sections)
        store = os.path.join(setting["folder"], "evidence")
        shown = subprocess.run([setting["proofmark"], "--store", store, "builds", "show", f"{program}.{build}"], capture_output=True)
        if shown.returncode != 0:
            say(f"capturing {program}.{build}")
            command = [os.path.join(pairs.HERE, "build.sh"), os.path.join(setting["folder"], "captured", program), program, turns, *more]
            subprocess.run([setting["proofmark"], "--store", store, "capture", f"{program}.{build}", "--", *command], check=True, env=environment, stdout=subprocess.DEVNULL)


def link(setting, program, build, seed, out):
    """One executable of a build in the layout of a seed."""
    place = os.path.join(setting["folder"], "objects", program, build)
    objects = sorted(os.path.join(place, name) for name in os.listdir(place) if name.endswith(".o"))
    command = ["cc", f"-B{setting['lld']}", "-fuse-ld=lld", f"-Wl,--randomize-section-padding={seed}", *objects, "-lm", "-o", out]
    subprocess.run(command, check=True)
    return out


def link_all(setting, program, build, seeds, prefix):
    """One executable a seed; the seconds that took."""
    began = time.monotonic()
    for at, seed in enumerate(seeds):
        link(setting, program, build, seed, f"{prefix}{at}")
    return time.monotonic() - began
