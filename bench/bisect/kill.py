#!/usr/bin/env python3
"""Kills a bisection again and again: bench/bisect/kill.py PROOFMARK FOLDER [KILLS [SEED]].

FOLDER is a history of `bench/bisect/run history`. The bisection from `start` to `end` is done once
undisturbed, and once killed at random moments (SIGKILL, at times of its whole process group), each
time given again. Both have stores and copies of their own. Prints what each came to; fails unless
both name the same commit, and no judged step was lost.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

ASKED = ["--good", "start", "--bad", "end", "--build", "make", "--image", "prog", "--json"]


def started(proofmark, folder, own):
    os.makedirs(own, exist_ok=True)
    words = [proofmark, "--store", os.path.join(own, "store"), "bisect", *ASKED, "--", "{}"]
    env = {**os.environ, "XDG_CACHE_HOME": os.path.join(own, "cache")}
    return subprocess.Popen(words, cwd=folder, env=env, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, start_new_session=True)


def answer(process):
    out, _ = process.communicate()
    assert process.returncode == 0, process.returncode
    return json.loads(out)


def shown(proofmark, own):
    """How many steps are in the store."""
    store = os.path.join(own, "store")
    words = [proofmark, "--store", store, "bisect", "--show", "latest", "--json"]
    said = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return len(json.loads(said.stdout)["steps"]) if said.returncode == 0 else 0


def summary(document):
    commits = [commit["subject"] for commit in document["commits"]]
    effect = (document["effect"] or {}).get("ratio")
    return f"{document['answer']} {commits} {effect}, {len(document['steps'])} steps"


def main():
    proofmark, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    kills = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    draw = random.Random(seed)
    place = os.path.abspath(folder) + "-killed"
    shutil.rmtree(place, ignore_errors=True)
    began = time.monotonic()
    plain = answer(started(proofmark, folder, os.path.join(place, "plain")))
    took = time.monotonic() - began
    print(f"undisturbed: {summary(plain)}, {took:.0f} s", flush=True)
    own, done, steps = os.path.join(place, "killed"), 0, 0
    while done < kills:
        process = started(proofmark, folder, own)
        delay = draw.uniform(0.05, 4 * took / kills)
        try:
            process.wait(delay)
            print(f"it ended after {done} kills", flush=True)
            break
        except subprocess.TimeoutExpired:
            pass
        group = draw.random() < 0.5
        (os.killpg if group else os.kill)(process.pid, signal.SIGKILL)
        process.wait()
        done += 1
        now = shown(proofmark, own)
        print(f"kill {done} after {delay:.1f} s: {now} steps in the store", flush=True)
        assert now >= steps, "a judged step was lost"
        steps = now
    killed = answer(started(proofmark, folder, own))
    print(f"killed {done} times: {summary(killed)}")
    same = [one["commits"] for one in (plain, killed)]
    assert same[0] == same[1] and plain["answer"] == killed["answer"], "another answer"
    print("the same answer")


if __name__ == "__main__":
    main()
