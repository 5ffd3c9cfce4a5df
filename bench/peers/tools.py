"""Each tool's own command, its raw numbers, and the wall time that it took."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time

import pairs
import variants

ROOT = os.path.join(pairs.HERE, "..", "..")

# What proofmark can be asked to leave out: what a verdict costs at least.
LEAN = ["--skip", "as-shipped,instructions", "--certificate", "off"]

# Peers without layouts get as much time as proofmark took, and no more than this: what they lack is not time.
MOST_SECONDS = 15.0

# pyperf's defaults take longer than all the others together; it has one try in so many.
PYPERF_EVERY = 3

# lld's script links 16 variants of each build; hyperfine runs each command ten times at least.
VARIANTS, RUNS = 16, 10

# Runs that hyperfine throws away first where it is given as much time as proofmark, which throws some away as well.
WARMUP = 3


def check():
    """Where each tool is and which version; what is missing is named with the command that gets it."""
    missing, found = [], {}
    python = os.environ.get("PEERS_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import pyperf, scipy"], capture_output=True).returncode != 0:
        missing.append("pyperf and scipy: python3 -m venv peers && peers/bin/pip install pyperf scipy; then PEERS_PYTHON=peers/bin/python3")
    for name, how in (("hyperfine", "cargo install hyperfine"), ("benchstat", "go install golang.org/x/perf/cmd/benchstat@latest"), ("cc", "apt-get install gcc")):
        found[name] = shutil.which(name)
        if not found[name]:
            missing.append(f"{name}: {how}")
    found["lld"] = lld()
    if not found["lld"]:
        missing.append("lld of LLVM 20 or later: rustup toolchain install 1.95 (carries LLD 22), or LLD=folder-with-ld.lld")
    if missing:
        raise SystemExit("missing:\n  " + "\n  ".join(missing))
    found["python"] = python
    found["proofmark"] = proofmark_built()
    version = lambda *command: subprocess.run(command, capture_output=True, text=True).stdout.strip().split("\n")[0]
    found["versions"] = {
        "hyperfine": version("hyperfine", "--version"),
        "pyperf": version(python, "-c", "import pyperf; print(pyperf.__version__)"),
        "scipy": version(python, "-c", "import scipy; print(scipy.__version__)"),
        "benchstat": version("sh", "-c", f"go version -m {found['benchstat']} | grep '\tmod' | cut -f3,4"),
        "lld": version(os.path.join(found["lld"], "ld.lld"), "--version"),
        "proofmark": version(found["proofmark"], "--version"),
        "cc": version("cc", "--version"),
    }
    return found


def lld():
    """A folder for `cc -B` whose ld.lld has --randomize-section-padding."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True).stdout.strip()
    folders = [os.environ.get("LLD", ""), *glob.glob(os.path.join(sysroot, "lib", "rustlib", "*", "bin", "gcc-ld"))]
    for folder in filter(None, folders):
        told = subprocess.run([os.path.join(folder, "ld.lld"), "--help"], capture_output=True, text=True)
        if "--randomize-section-padding" in told.stdout:
            return folder
    return None


def proofmark_built():
    folder = os.environ.get("PROOFMARK_BIN")
    if folder:
        return os.path.join(folder, "proofmark")
    manifest = ["--manifest-path", os.path.join(ROOT, "Cargo.toml")]
    subprocess.run(["cargo", "build", "--release", "--quiet", *manifest], check=True)
    told = subprocess.run(["cargo", "metadata", "--no-deps", "--format-version", "1", *manifest], check=True, capture_output=True)
    return os.path.join(json.loads(told.stdout)["target_directory"], "release", "proofmark")


def timed(command, **more):
    """Standard output and wall seconds of a command that must not fail."""
    began = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout, time.monotonic() - began


def run_seconds(image):
    """About how long a run takes: the median of five."""
    return sorted(timed([image])[1] for _ in range(5))[2]


def proofmark(setting, base, new, *options):
    """As shipped, every default: links, pilot, the builds' own images and instruction counts are in the time. Or with options."""
    store = os.path.join(setting["folder"], "evidence")
    out, seconds = timed([setting["proofmark"], "--store", store, "compare", base, new, "--fresh", "--json", *options, "--", "{}"])
    report = json.loads(out)
    found = report["conclusion"]["comparisons"][0]
    return {
        "seconds": seconds,
        "verdict": found["verdict"],
        "ratio": found["ratio"],
        "spread": found["spread"],
        "blocks": report["conclusion"]["blocks"],
        "measuring": report["conclusion"]["took_ms"] / 1e3,
        "pilot": report["pilot"],
    }


def hyperfine(setting, images, runs):
    """hyperfine's default, at least 10 runs and 3 s of each command, or so many runs; its Welch script reads the times."""
    out = os.path.join(setting["folder"], "images", "hyperfine.json")
    more = [] if runs is None else ["--warmup", str(WARMUP), "--runs", str(runs)]
    _, seconds = timed(["hyperfine", "-N", "--style", "none", *more, "--export-json", out, *images])
    return {"seconds": seconds, "times": [result["times"] for result in json.load(open(out))["results"]]}


def pyperf(setting, images):
    """`pyperf command` on each, with its defaults, and `compare_to`."""
    total, values, files = 0.0, [], []
    for at, image in enumerate(images):
        out = os.path.join(setting["folder"], "images", f"pyperf{at}.json")
        if os.path.exists(out):
            os.remove(out)
        _, seconds = timed([setting["python"], "-m", "pyperf", "command", "--quiet", "--name", "program", "-o", out, "--", image])
        total += seconds
        files.append(out)
        runs = json.load(open(out))["benchmarks"][0]["runs"]
        values.append([run["values"] for run in runs if "values" in run])
    said, seconds = timed([setting["python"], "-m", "pyperf", "compare_to", *files])
    return {"seconds": total + seconds, "times": values, "said": said.strip()}


def in_turn(setting, images, wanted):
    """Whole runs in turn by a loop for so many seconds, and benchstat with its defaults on the first 10 of each and on all."""
    began, times = time.monotonic(), [[], []]
    with open(os.devnull, "w") as nothing:
        to_nothing = [(os.POSIX_SPAWN_DUP2, nothing.fileno(), 1)]
        while len(times[1]) < 10 or time.monotonic() < began + wanted:
            for at, image in enumerate(images):
                start = time.monotonic()
                _, status = os.waitpid(os.posix_spawn(image, [image], os.environ, file_actions=to_nothing), 0)
                times[at].append(time.monotonic() - start)
                if status != 0:
                    raise SystemExit(f"{image} failed with status {status}")
    seconds = time.monotonic() - began
    return {
        "seconds": seconds,
        "times": times,
        "said": benchstat(setting, times),
        "said of 10": benchstat(setting, [each[:10] for each in times]),
    }


def benchstat(setting, times):
    """benchstat's p-value, and whether it holds the two for different (it prints ~ where it does not)."""
    files = []
    for name, each in zip(("old", "new"), times):
        path = os.path.join(setting["folder"], "images", f"{name}.txt")
        with open(path, "w") as file:
            file.writelines(f"BenchmarkProgram 1 {seconds * 1e9:.0f} ns/op\n" for seconds in each)
        files.append(path)
    out, _ = timed([setting["benchstat"], *files])
    # A p that is nothing at all is not printed.
    p, line = next((found.group(1), line) for line in out.splitlines() if (found := re.search(r"\((?:p=([0-9.]+) )?n=", line)))
    return {"p": float(p or 0), "different": "~" not in line, "line": " ".join(line.split())}


def lld_way(setting, program, new, seed, wanted=0.0):
    """As lld's own script (lld/utils/run_benchmark.py): variants of each build by --randomize-section-padding, the same seeds for base and new,
    their runs in turn, a mean for each turn at a variant; over and over until so many seconds have passed, once at least."""
    folder, began = os.path.join(setting["folder"], "images"), time.monotonic()
    seeds = range(1_000_000 + seed * VARIANTS, 1_000_000 + (seed + 1) * VARIANTS)
    linking = sum(variants.link_all(setting, program, build, seeds, os.path.join(folder, name)) for build, name in (("base", "base"), (new, "test")))
    out = os.path.join(folder, "lld.json")
    command = ["hyperfine", "-N", "--style", "none", "--runs", str(RUNS), "--export-json", out]
    command += ["-P", "iter", "0", str(VARIANTS - 1), os.path.join(folder, "base{iter}"), os.path.join(folder, "test{iter}")]
    times, cpu = [[], []], [[], []]
    while not times[0] or time.monotonic() < began + wanted:
        timed(command)
        results = sorted(json.load(open(out))["results"], key=lambda result: int(result["parameters"]["iter"]))
        for result in results:
            arm = 0 if "/base" in result["command"] else 1
            times[arm].append(result["times"])
            # hyperfine keeps the wall time of each run, and of the CPU time the mean.
            cpu[arm].append(result["user"] + result["system"])
    return {"seconds": time.monotonic() - began, "linking": linking, "times": times, "cpu": cpu}
