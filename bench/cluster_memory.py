# The memory of the ranks of a command: cluster_memory.py COMMAND...
#
# Prints a line for each rank: MB of its own memory at most during the first three quarters of the time (then it
# learns), and the peak that the kernel knows.

import subprocess
import sys
import time


def below(pid):
    """The processes that this one has started, and theirs."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            children = [int(child) for child in file.read().split()]
    except OSError:
        return []
    return children + [each for child in children for each in below(child)]


def memory_of(pid):
    """MB of its own and at most, or None if it is not the program."""
    try:
        with open(f"/proc/{pid}/status") as file:
            status = dict(line.split(":", 1) for line in file)
        if status["Name"].strip() != "thresh":
            return None
        return [int(status[key].split()[0]) // 1024 for key in ("RssAnon", "VmHWM")]
    except (OSError, KeyError):
        return None


def main():
    command = subprocess.Popen(sys.argv[1:])
    seen = {}  # by process: samples
    while command.poll() is None:
        for pid in below(command.pid):
            sample = memory_of(pid)
            if sample:
                seen.setdefault(pid, []).append(sample)
        time.sleep(0.2)
    for pid, samples in sorted(seen.items()):
        learning = samples[: max(1, 3 * len(samples) // 4)]
        print(max(own for own, _ in learning), max(peak for _, peak in samples))
    sys.exit(command.returncode)


main()
