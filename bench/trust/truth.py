"""What is true by construction: (start + k·work) ÷ (start + work), with the start-up from a line through run times over bounds, measured before
the recordings and after them."""

import json
import math
import os
import random
import statistics

from pairs import EFFECTS, FOOTPRINTS, PROGRAMS, bound, build_plain

# Bounds, as shares of a program's own, through which the line is laid: near it, and as far above as the effects go. What bends the line far
# below, such as caches and heaps that fill up, would be taken for start-up.
SHARES = (0.7, 0.85, 1.0, 1.15, 1.3)


def cpu_seconds(image):
    """User and system time of one run."""
    with open(os.devnull, "w") as nothing:
        to_nothing = [(os.POSIX_SPAWN_DUP2, nothing.fileno(), 1)]
        pid = os.posix_spawn(image, [image], {}, file_actions=to_nothing)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        raise SystemExit(f"{image} failed with status {status}")
    return usage.ru_utime + usage.ru_stime


def interleaved(images, rounds, seed):
    """CPU seconds of each image, round by round, in an order drawn for each round."""
    draw, times = random.Random(seed), {name: [] for name in images}
    for turn in range(rounds + 1):
        for name in draw.sample(sorted(images), len(images)):
            took = cpu_seconds(images[name])
            if turn > 0:
                times[name].append(took)
    return times


def line(points):
    """Intercept and slope by least squares."""
    mean_x, mean_y = (statistics.fmean(values) for values in zip(*points))
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    return mean_y - slope * mean_x, slope


def start_share(times, picked):
    """The start-up as a share of a whole run, from the medians of the rounds `picked`."""
    points = [(share, statistics.median(times[str(share)][i] for i in picked)) for share in SHARES]
    start, slope = line(points)
    return start / (start + slope)


def of_program(folder, program, rounds):
    """Start-up share with a bootstrap interval over rounds, and the true effects."""
    turns, words = PROGRAMS[program]
    images = {}
    for share in SHARES:
        out = os.path.join(folder, "plain", f"{program}-{share}")
        if not os.path.exists(out):
            build_plain(folder, program, bound(program, share), words, out)
        images[str(share)] = out
    times = interleaved(images, rounds, program)
    draw, everything = random.Random(1), range(rounds)
    again = sorted(start_share(times, draw.choices(everything, k=rounds)) for _ in range(400))
    found = start_share(times, everything)
    # The bound is a whole number, and the start-up does not grow with it.
    effects = {name: found + (1 - found) * bound(program, factor) / turns for name, factor in EFFECTS.items()}
    medians = {share: statistics.median(values) for share, values in times.items()}
    start, slope = line([(float(share), value) for share, value in medians.items()])
    worst = max(abs(value - start - slope * float(share)) for share, value in medians.items())
    return {
        "start_share": found,
        "low": again[10],
        "high": again[-11],
        "run_ms": medians["1.0"] * 1e3,
        "off_the_line": worst / medians["1.0"],
        "effects": effects,
        "rounds": rounds,
    }


def of_footprints(folder, rounds):
    """The ratio of walks over different footprints, from whole runs in turn: a mean of pairs, with its standard error. What else is on the
    machine takes its part of the caches, so it is measured right before and after each comparison."""
    images = {}
    for name, (turns, kib) in FOOTPRINTS.items():
        out = os.path.join(folder, "plain", name)
        if not os.path.exists(out):
            build_plain(folder, "memory", turns, [f"-DFOOTPRINT={kib}"], out)
        images[name] = out
    times = interleaved(images, rounds, "footprints")
    effects = [math.log(new / base) for base, new in zip(*times.values())]
    error = statistics.stdev(effects) / len(effects) ** 0.5
    mean = statistics.fmean(effects)
    return {
        "ratio": math.exp(mean),
        "of_medians": statistics.median(times["walk-1.5m"]) / statistics.median(times["walk-0.75m"]),
        "low": math.exp(mean - 1.96 * error),
        "high": math.exp(mean + 1.96 * error),
        "rounds": rounds,
        "run_ms": {name: statistics.median(values) * 1e3 for name, values in times.items()},
    }


def ensure(folder, programs, rounds, say, again=False):
    """Measures what is not known yet, or everything again; the file grows program by program. The truth is the mean of what was measured: what
    a walk costs beside its start-up goes by the neighbours too."""
    path = os.path.join(folder, "truth.json")
    known = json.load(open(path)) if os.path.exists(path) else {}
    for program in programs:
        if again or program not in known:
            say(f"start-up of {program}")
            measured = [*known.get(program, {}).get("measured", []), of_program(folder, program, rounds)]
            effects = {name: statistics.fmean(each["effects"][name] for each in measured) for name in EFFECTS}
            known[program] = {"effects": effects, "measured": measured}
            json.dump(known, open(path, "w"), indent=1)
    return known
