"""The tables of the head-to-head, from the tries recorded so far."""

import glob
import json
import math
import os
import statistics

import numpy
import verdicts
from tools import VARIANTS

EFFECTS = ["+1%", "+2%", "+5%"]


def wilson(hits, tries):
    """95 % interval of a share, in per cent (Wilson 1927)."""
    if tries == 0:
        return "–"
    z, share = 1.959964, hits / tries
    middle = (share + z * z / 2 / tries) / (1 + z * z / tries)
    half = z / (1 + z * z / tries) * math.sqrt(share * (1 - share) / tries + z * z / 4 / tries / tries)
    return f"{hits} of {tries} [{100 * max(0, middle - half):.0f}, {100 * min(1, middle + half):.0f}]"


def load(folder):
    return [json.load(open(path)) for path in sorted(glob.glob(os.path.join(folder, "tries", "*.json")))]


def ratios(start):
    """The true ratio of each effect."""
    return {"0%": 1.0, **{effect: start + (1 - start) * (1 + float(effect[1:-1]) / 100) for effect in EFFECTS}}


def mean(values):
    values = list(values)
    return statistics.fmean(values) if values else float("nan")


def own_rules(tries):
    """Every tool by its own rule."""
    print("| tool | how | seconds a try | CPU seconds | alarms without a difference | +1 % found | +2 % found | +5 % found | seconds for a right answer at +1 % |")
    print("| --- | --- | ---: | ---: | --- | --- | --- | --- | ---: |")
    commands = {"proofmark": "`proofmark compare base new -- {}`", "proofmark, lean": "the same with `--skip as-shipped,instructions --certificate off`"}
    ways = {
        way: (how, lambda found, w=way: verdicts.proofmark_says(found, w), lambda found, what="seconds", w=way: found[w][what])
        for way, how in commands.items()
    }
    for tool in verdicts.TOOLS:
        ways[tool] = (verdicts.TOOLS[tool][3], lambda found, t=tool: verdicts.own_rule(found, t), lambda found, what="seconds", t=tool: verdicts.seconds(found, t, what))
    for tool, (how, says, seconds) in ways.items():
        had = [found for found in tries if verdicts.has(found, tool)]
        of = lambda effect, had=had: [found for found in had if found["effect"] == effect]
        alarms = wilson(sum(says(found) != 0 for found in of("0%")), len(of("0%")))
        hits = {effect: sum(says(found) == 1 for found in of(effect)) for effect in EFFECTS}
        cells = [wilson(hits[effect], len(of(effect))) for effect in EFFECTS]
        per = mean(seconds(found) for found in of("+1%")) * len(of("+1%")) / hits["+1%"] if hits["+1%"] else float("inf")
        busy = mean(seconds(found, "cpu_seconds") for found in had)
        print(f"| {tool} | {how} | {mean(map(seconds, had)):.1f} | {busy:.1f} | {alarms} | {' | '.join(cells)} | {per:.1f} |")


def equal_alarms(tries, true):
    """Peers once more, with the threshold that 5 % of pairs without a difference exceed by the other tries."""
    print("| tool | threshold, normal deviates, middle of the tries | +1 % found | +2 % found | +5 % found | seconds for a right answer at +1 % |")
    print("| --- | ---: | --- | --- | --- | ---: |")
    for tool in verdicts.TOOLS:
        had = [found for found in tries if verdicts.has(found, tool)]
        if not had:
            continue
        bars = verdicts.thresholds(had, tool, true)
        cells, per = [], float("inf")
        for effect in EFFECTS:
            # Every try carries every effect: its own divided out, the asked one multiplied in.
            says = [verdicts.statistic(found, tool, true[found["effect"]] / true[effect])[0] for found in had]
            hits = sum(said > bar for said, bar in zip(says, bars))
            cells.append(wilson(hits, len(had)))
            if effect == "+1%" and hits:
                per = mean(verdicts.seconds(found, tool) for found in had) * len(had) / hits
        print(f"| {tool} | {statistics.median(bars):.1f} | {' | '.join(cells)} | {per:.1f} |")


def lld_curve(tries, true):
    """What lld's way needs: layouts and runs each, drawn from all recorded turns of pairs that differ in a data word alone, whose layouts are
    the same in both builds: its best case. The known effect is divided out, and what is left of a difference in the whole pool, which its
    noise alone has made. The script compares wall times; hyperfine also keeps the mean CPU time of each turn's ten runs, which a busy machine
    disturbs less."""
    wall, cpu, run, link = [], [], [], []
    for found in tries:
        if found["effect"] == verdicts.NULL:
            continue
        for each in (found["lld"], found["lld, same time"]):
            scale = true[found["effect"]]
            wall += [(a, [value / scale for value in b]) for a, b in zip(*each["times"])]
            cpu += [([a], [b / scale]) for a, b in zip(*each["cpu"])]
            link.append(each["linking"] / 2 / VARIANTS)
            run.append((each["seconds"] - each["linking"]) / sum(len(turn) for arm in each["times"] for turn in arm))
    if not wall:
        return
    link, run = mean(link), mean(run)
    print(f"{len(wall)} turns of each build; a link takes {link * 1e3:.0f} ms, a run {run * 1e3:.1f} ms with what hyperfine adds.\n")
    print("| time | runs of a turn | new ÷ base over the pool, less the effect | standard deviation of a turn's ln(new ÷ base) | furthest turn |")
    print("| --- | ---: | ---: | ---: | ---: |")
    pools = []
    for name, pool, runs in [("wall", wall, 1), ("wall", wall, 3), ("wall", wall, 10), ("CPU", cpu, 10)]:
        means = numpy.array([(math.log(mean(a[:runs])), math.log(mean(b[:runs]))) for a, b in pool])
        apart = means[:, 1] - means[:, 0]
        middle = apart.mean()
        print(f"| {name} | {runs} | {math.exp(middle):.4f} | {100 * apart.std(ddof=1):.2f} % | {100 * numpy.abs(apart - middle).max():.1f} % |")
        means[:, 1] -= middle
        pools.append((name, means, runs))
    print("\n| time | layouts of each | runs of each | seconds | +1 % found at equal false alarms | the same, base and new of one turn as a pair |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    draw, enough = numpy.random.default_rng(1), []
    for name, means, runs in pools:
        for layouts in (4, 16, 64, 256, 512, 1024, 2048, 4096):
            apart, paired = (power(means, layouts, math.log(true["+1%"]), draw, way) for way in (False, True))
            # Links are made once for 16 variants, which the turns go round.
            took = min(layouts, VARIANTS) * 2 * link + layouts * 2 * runs * run
            enough += [(took, name, layouts, runs)] if max(apart, paired) >= 0.9 else []
            print(f"| {name} | {layouts} | {runs} | {took:.1f} | {100 * apart:.0f} % | {100 * paired:.0f} % |")
    least = min(enough, default=None)
    print("\nFewest seconds with +1 % found in 90 %: " + (f"{least[0]:.1f} ({least[1]}, {least[2]} turns, {least[3]} runs)." if least else "none of these."))


def power(means, layouts, effect, draw, paired, draws=2000):
    """The share of draws with the effect beyond what 95 % of the draws without it stay within. A draw takes base and new of one turn together;
    they are then told apart as ministat does, by the spread within each, or as pairs. Without the effect base and new are alike, so that which
    is which is drawn for each turn: a pool that leans to one side would raise the bar with the number of turns."""
    picked = means[draw.integers(0, len(means), (draws, layouts))]

    def deviates(picked):
        apart = picked[:, :, 1] - picked[:, :, 0]
        spread = apart.var(axis=1, ddof=1) if paired else picked.var(axis=1, ddof=1).sum(axis=1)
        return apart.mean(axis=1), numpy.sqrt(spread / layouts)

    swapped = numpy.where(draw.random((draws, layouts, 1)) < 0.5, picked, picked[:, :, ::-1])
    nothing, error = deviates(swapped)
    bar = numpy.quantile(numpy.abs(nothing / error), 0.95)
    found, error = deviates(picked)
    return float(((found + effect) / error > bar).mean())


def checks(tries):
    """The rules here against the tools' own words."""
    for tool in ("pyperf, default", "benchstat, 10 runs in turn", "benchstat, same time"):
        had = [found for found in tries if verdicts.has(found, tool)]
        same = sum((verdicts.own_rule(found, tool) != 0) == (verdicts.statistic(found, tool)[1] < 0.05) for found in had)
        print(f"{tool}: p below 0.05 here and the tool's own word agree in {same} of {len(had)} tries.")


def show(folder, setting):
    tries = load(folder)
    if not tries:
        print("nothing is recorded yet")
        return
    start = json.load(open(os.path.join(folder, "start.json")))[tries[0]["program"]]
    true = ratios(start)
    print(", ".join(f"{name} {version}" for name, version in setting["versions"].items()) + "\n")
    loads = sorted(found["load"] for found in tries)
    print(f"{len(tries)} tries; load median {loads[len(loads) // 2]:.1f}, {loads[0]:.1f} to {loads[-1]:.1f}; start-up {100 * start:.1f} % of a run.\n")
    own_rules(tries)
    print()
    equal_alarms(tries, true)
    print()
    lld_curve(tries, true)
    print()
    checks(tries)
