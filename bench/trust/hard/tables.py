"""The tables, from the results alone."""

import collections
import math
import statistics


def bounds(hits, tries):
    """95 % interval of a share (Wilson 1927)."""
    if tries == 0:
        return 0.0, 1.0
    z, part = 1.959964, hits / tries
    middle = (part + z * z / 2 / tries) / (1 + z * z / tries)
    half = z / (1 + z * z / tries) * math.sqrt(part * (1 - part) / tries + z * z / 4 / tries / tries)
    return max(0.0, middle - half), min(1.0, middle + half)


def share(hits, tries):
    low, high = bounds(hits, tries)
    return f"{100 * hits / tries:.1f} % ({100 * low:.0f} … {100 * high:.0f})"


def groups(lines, key):
    found = collections.OrderedDict()
    for line in lines:
        found.setdefault(key(line), []).append(line)
    return found


def of_classes(lines):
    """A row for each class, one for all, and one for each way of asking."""
    yield "| class | verdicts | truth inside | of these decided | refused by name | warned by name | wrong | inside, refused or warned (95 %) | gates passed wrongly |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for kind, some in groups(lines, lambda line: line["class"]).items():
        yield row(kind, some)
    yield row("**all**", lines)
    for user, some in sorted(groups(lines, lambda line: line["user"]).items()):
        yield row(f"all, as {'root' if user == 'root' else 'a user without rights'}", some)
    for captured, some in sorted(groups(lines, lambda line: line["captured"]).items()):
        yield row("all, captured builds" if captured else "all, executable files", some)


def row(name, lines):
    count = collections.Counter(line["judged"] for line in lines)
    inside = [line for line in lines if line["judged"] == "right"]
    decided = sum(line["said"] != "undecided" for line in inside)
    good = len(lines) - count["WRONG"]
    gates = sum(bool(line["gates"]) for line in lines)
    return f"| {name} | {len(lines)} | {count['right']} | {decided} | {count['refused']} | {count['warned']} | {count['WRONG']} | {share(good, len(lines))} | {gates} |"


def of_cases(lines):
    """A row for each case: its truth, and what was said of it."""
    yield "| class | case | a bare run, ms | bare new/base | half the width of an interval, median | seconds, median | how | said |"
    yield "|---|---|---|---|---|---|---|---|"
    for (kind, case), some in groups(lines, lambda line: (line["class"], line["case"])).items():
        truths = [math.sqrt(line["truth"][0] * line["truth"][1]) for line in some]
        span = f"{min(truths):.3f} … {max(truths):.3f}" if len(truths) > 1 else f"{truths[0]:.3f}"
        widths = [math.log(line["interval"][1] / line["interval"][0]) / 2 for line in some if "interval" in line]
        width = f"{100 * statistics.median(widths):.1f} %" if widths else "–"
        how = collections.Counter(line["how"] for line in some if "how" in line)
        said = collections.Counter(line["said"] for line in some)
        tell = lambda counts: ", ".join(f"{count} {what}" for what, count in counts.most_common()) or "–"
        ms = statistics.median(line["ms"] for line in some)
        seconds = statistics.median(line["seconds"] for line in some)
        yield f"| {kind} | {case} | {ms:.1f} | {span} | {width} | {seconds:.0f} | {tell(how)} | {tell(said)} |"


def of_faults(lines):
    """What was wrong, one by one."""
    faults = [line for line in lines if line["judged"] == "WRONG" or line["gates"]]
    if not faults:
        return
    yield "| case | asked | truth | said | gates passed wrongly | how, and why |"
    yield "|---|---|---|---|---|---|"
    for line in faults:
        interval = "[{:.3f}, {:.3f}] ".format(*line["interval"]) if "interval" in line else ""
        truth = "[{:.3f}, {:.3f}]".format(*line["truth"])
        asked = f"{line['user']}, {'captured' if line['captured'] else 'files'}, {line['repeat']}.{line['build']}"
        yield f"| {line['case']} | {asked} | {truth} | {interval}{line['said']} | {', '.join(line['gates']) or '–'} | {line.get('how', '')} {line['why'].replace('|', '/')} |"


def text(lines):
    """All tables, with what they rest on."""
    if not lines:
        return "No verdict is recorded yet.\n"
    loads = sorted(line["load"] for line in lines)
    times = sorted(line["at"] for line in lines)
    machines = sorted({line["machine"] for line in lines})
    head = (
        f"{len(lines)} verdicts of {len({(line['class'], line['case']) for line in lines})} cases, from {times[0]} to {times[-1]}, on {'; '.join(machines)}; "
        f"load of the machine {loads[0]:.1f} to {loads[-1]:.1f}, in the middle {statistics.median(loads):.1f} (two of it are the bench itself)."
    )
    tables = ["\n".join(table(lines)) for table in (of_classes, of_cases, of_faults)]
    return "\n\n".join([head, *filter(None, tables)]) + "\n"


# Between these lines a document holds the tables.
BEGIN, END = "<!-- bench/trust/hard/run --write: begin -->", "<!-- end -->"


def write(path, lines):
    """Puts the tables into a document, in the place of those that are there."""
    with open(path) as file:
        before, _, rest = file.read().partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"{path} has no place for the tables: two lines, `{BEGIN}` and `{END}`")
    with open(path, "w") as file:
        file.write(f"{before}{BEGIN}\n\n{text(lines)}\n{END}{after}")
