#!/usr/bin/env python3
"""Runs commands in turn and prints their CPU and wall times as ratios to the first one, and their peak memory.

measure.py ROUNDS NAME=COMMAND...

A ratio is the median of the ratios of each round, as a machine's speed changes from one minute to the next. What a command wrote
before (`-o FOLDER`) is removed each time, so that nothing is kept from an earlier round.
"""
import os
import shlex
import shutil
import statistics
import sys
import time


def run(command):
    """Returns CPU seconds, wall seconds and peak memory in MiB of a process and what it waited for."""
    if "-o" in command:
        shutil.rmtree(command[command.index("-o") + 1], ignore_errors=True)
    begun = time.monotonic()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"{shlex.join(command)}: status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begun, usage.ru_maxrss / 1024


def main():
    rounds = int(sys.argv[1])
    commands = {name: shlex.split(command) for name, command in (text.split("=", 1) for text in sys.argv[2:])}
    costs = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            costs[name].append(run(command))
    first = costs[next(iter(commands))]
    print("| command | CPU s | CPU ratio | wall ratio | peak MiB |\n|---|---:|---:|---:|---:|")
    for name, found in costs.items():
        cpu, wall = (statistics.median(a[n] / b[n] for a, b in zip(found, first, strict=True)) for n in (0, 1))
        seconds, peak = statistics.median(cost[0] for cost in found), max(cost[2] for cost in found)
        print(f"| {name} | {seconds:.2f} | {cpu:.2f} | {wall:.2f} | {peak:.0f} |")


main()
