"""Runs each script of a folder in a process of its own and prints TAP: scripts.py FOLDER. dill's
tests are such scripts."""

import pathlib
import subprocess
import sys

scripts = sorted(pathlib.Path(sys.argv[1]).glob("test_*.py"))
print(f"1..{len(scripts)}")
for number, script in enumerate(scripts, 1):
    done = subprocess.run([sys.executable, "-s", script], capture_output=True)
    print(f"{'not ' if done.returncode else ''}ok {number} - {script.stem}", flush=True)
