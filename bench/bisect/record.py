#!/usr/bin/env python3
"""Records blocks from which bisections are replayed: bench/bisect/record.py PROOFMARK FOLDER [BLOCKS [ROUNDS]].

Four builds of each level (+0, +1, +2 and +5 %), which differ in code that decides nothing, all side
by side in each block, as whole runs in turn. The pilot chooses how many runs, as it does for a
bisection; at least five. Needs a quiet machine; an interrupted recording goes on. Prints the
experiment's name.
"""

import json
import os
import subprocess
import sys

from history import files

LEVELS = (0, 1, 2, 5)
BUILDS = 4


def main():
    proofmark, folder = sys.argv[1], sys.argv[2]
    blocks = sys.argv[3] if len(sys.argv) > 3 else "200"
    rounds = ["--rounds", sys.argv[4]] if len(sys.argv) > 4 else []
    store = os.path.join(folder, "evidence")
    names = []
    for level in LEVELS:
        for build in range(BUILDS):
            name = f"plus{level}-{build}"
            names.append(name)
            place = os.path.join(folder, "builds", name)
            if os.path.exists(place):
                continue
            os.makedirs(place)
            for file, content in files(100 * level + build, 63, 1 + level / 100).items():
                with open(os.path.join(place, file), "w") as out:
                    out.write(content)
            capture = [proofmark, "--store", store, "capture", name, "--", "make"]
            subprocess.run(capture, cwd=place, check=True, stdout=subprocess.DEVNULL)
    compare = [proofmark, "--store", store, "compare", *names, "--blocks", blocks, *rounds,
               "--schedule", "interleaved", "--seed", "20", "--skip", "as-shipped,instructions",
               "--certificate", "off", "--json", "--", "{}"]
    report = json.loads(subprocess.run(compare, check=True, stdout=subprocess.PIPE).stdout)
    print(report["id"])


if __name__ == "__main__":
    main()
