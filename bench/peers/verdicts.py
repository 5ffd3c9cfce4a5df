"""What each tool says of a try, by its own rule and by a threshold of equal false alarms."""

import math
import statistics

from scipy import stats

# The truth of a pair's data word, less the share of the start-up; `unused` leaves the work alone.
NULL = "0%"


def flat(values):
    return [each for run in values for each in run] if values and isinstance(values[0], list) else values


def samples(found, tool):
    """The two lists of numbers that a tool compares."""
    name, picked = TOOLS[tool][0], TOOLS[tool][1]
    if tool.endswith(CPU):
        return found[name]["cpu"]
    return [picked(flat_or_means(each, tool)) for each in found[name]["times"]]


def has(found, tool):
    """Whether a try has a tool's numbers; not every try has every tool."""
    if tool not in TOOLS:
        return tool in found
    return TOOLS[tool][0] in found and (not tool.endswith(CPU) or "cpu" in found[TOOLS[tool][0]])


def flat_or_means(values, tool):
    if tool.startswith("lld"):
        return [statistics.fmean(each) for each in values]
    return flat(values)


def welch(a, b):
    """t of hyperfine's test script; positive where the second is slower."""
    return stats.ttest_ind(b, a, equal_var=False)


def student(a, b):
    """pyperf's own: a pooled variance."""
    return stats.ttest_ind(b, a, equal_var=True)


def ranks(a, b):
    """benchstat's Mann-Whitney: exact for samples without ties up to 50 together, else normal with ties and continuity."""
    exact = len(a) + len(b) <= 50 and len(set(a + b)) == len(a) + len(b)
    return stats.mannwhitneyu(b, a, alternative="two-sided", method="exact" if exact else "asymptotic")


def statistic(found, tool, scale=1.0):
    """How far apart the two are in the tool's own measure, signed, and its p-value; the second is divided by `scale` first."""
    a, b = samples(found, tool)
    b = [each / scale for each in b]
    test = TOOLS[tool][2](a, b)
    sign = math.copysign(1.0, statistics.median(b) - statistics.median(a)) if TOOLS[tool][2] is ranks else math.copysign(1.0, test.statistic)
    # The normal deviate of the same p, so that all tools have one scale; far out, where p has no digits left, as far as it goes.
    return sign * stats.norm.isf(max(test.pvalue, 1e-300) / 2), test.pvalue


# What hyperfine keeps beside wall times.
CPU = "CPU time"

# name → (key of the raw numbers, which of them, the test, how it is run)
TOOLS = {
    "hyperfine, default": ("hyperfine", lambda v: v, welch, "`hyperfine -N A B`, Welch's t of `scripts/welch_ttest.py`"),
    "hyperfine, same time": ("hyperfine, same time", lambda v: v, welch, "`hyperfine -N --runs N A B`, the same"),
    "pyperf, default": ("pyperf", lambda v: v, student, "`pyperf command -- A`, the same with B, `pyperf compare_to`"),
    "benchstat, 10 runs in turn": ("benchstat", lambda v: v[:10], ranks, "a loop, `benchstat old new`"),
    "benchstat, same time": ("benchstat", lambda v: v, ranks, "a longer loop, `benchstat old new`"),
    "lld's way, 16 layouts": ("lld", lambda v: v, welch, "16 links each, `hyperfine -N --runs 10 -P iter 0 15 base{iter} test{iter}`, a mean for each turn"),
    "lld's way, 16 layouts, CPU time": ("lld", lambda v: v, welch, "the same, hyperfine's user and system time"),
    "lld's way, same time": ("lld, same time", lambda v: v, welch, "the same 16 layouts over and over"),
    "lld's way, same time, CPU time": ("lld, same time", lambda v: v, welch, "the same, hyperfine's user and system time"),
}


def own_rule(found, tool):
    """−1, 0 or 1: faster, no difference, slower, as the tool itself decides."""
    z, p = statistic(found, tool)
    if tool.startswith("pyperf"):
        said = found["pyperf"]["said"]
        if "not significant" in said.lower():
            return 0
        return 1 if "slower" in said else -1 if "faster" in said else 0
    if tool.startswith("benchstat"):
        said = found["benchstat"]["said of 10" if "10 runs" in tool else "said"]
        return int(math.copysign(1, z)) if said["different"] else 0
    return int(math.copysign(1, z)) if p < 0.05 else 0


def seconds(found, tool, what="seconds"):
    """Wall (or CPU) seconds of a try; for the first ten runs in turn their share."""
    each = found[TOOLS[tool][0]]
    if tool == "benchstat, 10 runs in turn":
        return each[what] * 10 / len(each["times"][0])
    return each[what]


def proofmark_says(found, way="proofmark"):
    """−1, 0 or 1 by the verdict; negligible or not, a difference is one."""
    verdict = found[way]["verdict"]
    return 1 if verdict.startswith("slower") else -1 if verdict.startswith("faster") else 0


def thresholds(tries, tool, ratios):
    """For each try the deviate that 5 % of pairs without a difference exceed, by all tries but itself; each try is such a pair once its known
    effect is divided out."""
    null = [abs(statistic(found, tool, ratios[found["effect"]])[0]) for found in tries]
    bars = []
    for at in range(len(null)):
        rest = sorted(null[:at] + null[at + 1 :])
        bars.append(rest[math.ceil(0.95 * len(rest)) - 1] if rest else math.inf)
    return bars
