#!/usr/bin/env python3
"""Measures bcheck: two builds of it against each other, one build against other checkers, or one build by itself.

  compare.py --before OLD --after NEW     two programs on the same machines
  compare.py --bcheck NEW                 beside rumur and SPIN, where they are installed
  compare.py --bcheck NEW --profile       states and transitions per second on the machines for the plain search

CPU seconds (user and system) and peak memory are those of the child process, the median of several runs, which are taken in
turn so that a change of the machine's mood meets all alike. States and transitions, without the root, must be those listed
here in every run of every tool; otherwise nothing is compared and the exit code is 1. Needs Python 3.9, a Unix, and nothing else.
"""

import argparse
import json
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / "benches" / "peers"


@dataclass(frozen=True)
class Model:
    """A machine at one size, and what must come out."""

    title: str
    machine: str
    options: str
    states: int
    transitions: int
    reduced: bool = True

    @property
    def file(self):
        """The machine's file: a MACHINE, unless the ending says otherwise."""
        return self.machine if "." in self.machine else f"{self.machine}.mch"


def plain(title, machine, options, states, transitions):
    return Model(title, machine, options, states, transitions, reduced=False)


# The machines for the plain search: between them they use sets, relations, functions, sequences, integers, records, sets of sets
# and WHILE.
PROFILE = [
    plain("sets", "symmetry/family/readers_writers", "--deferred 11", 188_411, 2_027_465),
    plain("relations", "symmetry/family/cache", "--deferred 4", 160_000, 5_120_000),
    plain("functions", "plain/hanoi", "--deferred 4 --maxint 9", 262_144, 1_569_792),
    plain("sequences", "plain/queue", "--deferred 8", 109_601, 438_392),
    plain("integers", "plain/tanks", "--maxint 63", 262_144, 1_532_160),
    plain("records", "plain/parcels", "--deferred 4", 104_976, 839_808),
    plain("sets of sets", "plain/tables", "--deferred 9", 115_975, 1_300_072),
    plain("WHILE", "plain/bubble", "--maxint 8", 40_320, 322_560),
]

PLAIN_PHONEBOOK = plain("phonebook 6, plain", "classic/phonebook", "--deferred 6", 117_649, 1_815_156)
PLAIN_SCHEDULER = plain("scheduler0 9, plain", "classic/scheduler0", "--deferred 9", 78_732, 767_637)
PLAIN_POSTAL = plain("russian_postal 7, plain", "classic/russian_postal", "--deferred 7", 308_000, 1_599_654)
REDUCED_PHONEBOOK = Model("phonebook 5", "classic/phonebook", "--deferred 5", 19, 268)
REDUCED_SCHEDULER = Model("scheduler0 16", "classic/scheduler0", "--deferred 16", 289, 5_440)
REDUCED_POSTAL = Model("russian_postal 12", "classic/russian_postal", "--deferred 12", 7_087, 57_993)

LIST_STACK = "--no-deadlock --deferred NODE=6 --deferred THREAD=3 --deferred DATUM=4"

MODELS = [
    Model("phonebook 20", "classic/phonebook", "--deferred 20", 2_714, 257_348),
    Model("scheduler0 30", "classic/scheduler0", "--deferred 30", 961, 33_790),
    REDUCED_POSTAL,
    Model("two_phase_commit 12", "classic/two_phase_commit", "--deferred 12", 2_288, 26_483),
    Model("list_stack 6,3,4", "studies/list_stack.ref", LIST_STACK, 99_429, 287_502),
    Model("peterson 5", "studies/peterson", "--deferred 5", 16_846, 105_757),
    Model("database 16", "studies/database_managers", "--deferred 16", 137, 1_377),
    Model("graphs 7", "symmetry/closed_forms/graphs", "--deferred 7", 1_044, 22_968),
    Model("relations 4", "symmetry/closed_forms/relations", "--deferred 4", 3_044, 48_704),
    Model("matrices 5", "symmetry/closed_forms/matrices", "--deferred 5", 5_624, 140_600),
    Model("partial_functions 8", "symmetry/closed_forms/partial_functions", "--deferred 8", 2_598, 40_111),
    Model("sets_of_sets 4", "symmetry/closed_forms/sets_of_sets", "--deferred 4", 3_984, 63_744),
    PLAIN_PHONEBOOK,
    PLAIN_SCHEDULER,
    PLAIN_POSTAL,
    *PROFILE,
]


@dataclass(frozen=True)
class Shared:
    """A model that the other checkers have as well, at one size; `rumur` is the mode of its symmetry reduction."""

    model: Model
    peer: str
    size: int
    rumur: str


# Sorting is exact where elements only carry marks, so rumur may sort for scheduler0 and russian_postal.
SHARED = [
    Shared(PLAIN_PHONEBOOK, "phonebook", 6, "off"),
    Shared(PLAIN_SCHEDULER, "scheduler0", 9, "off"),
    Shared(PLAIN_POSTAL, "russian_postal", 7, "off"),
    Shared(REDUCED_PHONEBOOK, "phonebook", 5, "exhaustive"),
    Shared(REDUCED_SCHEDULER, "scheduler0", 16, "heuristic"),
    Shared(REDUCED_POSTAL, "russian_postal", 12, "heuristic"),
]


class Failure(Exception):
    """A tool that did not do what it was asked."""


@dataclass
class Run:
    """What one child process used and printed."""

    code: int
    cpu: float
    mebibytes: float
    stdout: str
    stderr: str


def run(command, patience, cwd=ROOT):
    """Runs a command to its end, or for that many seconds."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen([str(word) for word in command], stdout=out, stderr=err, cwd=cwd)
        timer = threading.Timer(patience, child.send_signal, [signal.SIGKILL])
        timer.start()
        try:
            # wait4 gives what this one child has used; the total of all children would not do.
            _, status, usage = os.wait4(child.pid, 0)
        finally:
            timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode == -signal.SIGKILL:
            raise Failure(f"no end after {patience} s: {' '.join(map(str, command))}")
        out.seek(0)
        err.seek(0)
        unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return Run(child.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit, out.read(), err.read())


@dataclass
class Measured:
    """The runs of one tool on one model."""

    counts: set = field(default_factory=set)
    cpu: list = field(default_factory=list)
    mebibytes: list = field(default_factory=list)
    # CPU seconds of making a program from the model, once.
    preparation: float = 0.0

    def add(self, used, counts):
        self.counts.add(counts)
        self.cpu.append(used.cpu)
        self.mebibytes.append(used.mebibytes)

    @property
    def seconds(self):
        return statistics.median(self.cpu)

    @property
    def memory(self):
        return statistics.median(self.mebibytes)


class Bcheck:
    """A build of bcheck."""

    def __init__(self, title, program, workers):
        self.title, self.program, self.workers = title, Path(program).resolve(), workers
        if not self.program.is_file():
            raise Failure(f"there is no program {program}")

    def prepare(self, model, folder, patience):
        command = [self.program, "check", ROOT / "machines" / model.file, *model.options.split()]
        command += ["--symmetry", "exact" if model.reduced else "off", "--workers", self.workers]
        return [*command, "--format", "json", "--progress", "none"], 0.0

    def counts(self, used):
        try:
            report = json.loads(used.stdout)
            explored = report["explored"]
        except (ValueError, KeyError):
            raise Failure(f"{self.title}: no report, exit code {used.code}: {used.stderr.strip()[-500:]}") from None
        if report["verdict"] != "verified":
            raise Failure(f"{self.title}: {report['file']}: {report['verdict']}")
        return explored["states"], explored["transitions"]


def built(command, folder, patience):
    """The CPU seconds of one step of making a program."""
    used = run(command, patience, cwd=folder)
    if used.code != 0:
        raise Failure(f"{command[0]} fails: {(used.stderr or used.stdout).strip()[-500:]}")
    return used.cpu


class Rumur:
    """rumur makes a C program from a Murphi model."""

    title = "rumur"
    needs = ("rumur", "cc")

    def prepare(self, shared, folder, patience):
        text = (PEERS / f"{shared.peer}.m").read_text()
        model = folder / f"{shared.peer}.m"
        model.write_text(re.sub(r"\bN: \d+;", f"N: {shared.size};", text, count=1))
        source, program = folder / "rumur.c", folder / f"rumur-{shared.peer}-{shared.size}-{shared.rumur}"
        command = ["rumur", model, "--output", source, "--symmetry-reduction", shared.rumur, "--threads", "1"]
        command += ["--scalarset-schedules", "off", "--deadlock-detection", "stuck", "--output-format", "machine-readable"]
        wide = ["-mcx16"] if platform.machine() in ("x86_64", "AMD64") else []
        seconds = built(command, folder, patience)
        seconds += built(["cc", "-std=c11", "-O3", "-march=native", *wide, source, "-o", program, "-lpthread"], folder, patience)
        return [program], seconds

    def counts(self, used):
        found = re.search(r'<summary states="(\d+)" rules_fired="(\d+)" errors="0"', used.stdout)
        if not found:
            raise Failure(f"rumur: no summary: {used.stdout.strip()[-500:]}")
        return int(found[1]), int(found[2])


class Spin:
    """SPIN makes a C program from a Promela model; breadth first, all interleavings."""

    title = "SPIN"
    needs = ("spin", "cc")

    def prepare(self, shared, folder, patience):
        if shared.model.reduced:
            # SPIN does not reduce by symmetry.
            return None, 0.0
        program = folder / f"spin-{shared.peer}-{shared.size}"
        seconds = built(["spin", f"-DN={shared.size}", "-a", PEERS / f"{shared.peer}.pml"], folder, patience)
        options = ["-O2", "-DSAFETY", "-DBFS", "-DNOREDUCE", "-DMEMLIM=16000"]
        seconds += built(["cc", *options, "-o", program, folder / "pan.c"], folder, patience)
        return [program], seconds

    def counts(self, used):
        stored, all_transitions, errors = (
            re.search(pattern, used.stdout) for pattern in (r"(\d+) states, stored", r"(\d+) transitions \(", r"errors: (\d+)")
        )
        if not (stored and all_transitions and errors and errors[1] == "0"):
            raise Failure(f"SPIN: no summary: {used.stdout.strip()[-500:]}")
        # SPIN counts the arrow to the initial state.
        return int(stored[1]), int(all_transitions[1]) - 1


def measure(tools, model, subject, runs, patience, folder):
    """The runs of all tools on one model, in turn; `None` for a tool that does not do it."""
    prepared = [tool.prepare(subject(tool), folder, patience) for tool in tools]
    measured = [None if command is None else Measured(preparation=seconds) for command, seconds in prepared]
    for _ in range(runs):
        for tool, (command, _), result in zip(tools, prepared, measured):
            if command is not None:
                used = run(command, patience, cwd=folder)
                result.add(used, tool.counts(used))
    expected = {(model.states, model.transitions)}
    wrong = [f"{tool.title} counts {sorted(result.counts)}" for tool, result in zip(tools, measured) if result and result.counts != expected]
    if wrong:
        raise Failure(f"{model.title}: {sorted(expected)} is right, but {', '.join(wrong)}")
    return measured


def table(rows):
    """Rows of text in columns: the first to the left, numbers to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in enumerate(zip(row, widths))))


def ratio(ours, theirs):
    return f"{theirs / ours:.2f}" if ours else "-"


def chosen(models, only, title=lambda model: model.title):
    found = [model for model in models if re.search(only, title(model))]
    if not found:
        raise Failure(f"no model is called {only}")
    return found


def survey(models, work):
    """Measures model after model; a failure of one does not end the others. Returns the rows, and what went wrong."""
    rows, wrong = [], []
    for model in models:
        try:
            rows.append(work(model))
        except Failure as failure:
            wrong.append(str(failure))
            print(f"failed: {failure}", file=sys.stderr, flush=True)
    return rows, wrong


def before_and_after(arguments, folder):
    tools = [Bcheck("before", arguments.before, arguments.workers), Bcheck("after", arguments.after, arguments.workers)]

    def work(model):
        before, after = measure(tools, model, lambda tool: model, arguments.runs, arguments.patience, folder)
        return [
            model.title, str(model.states), str(model.transitions),
            f"{before.seconds:.2f}", f"{after.seconds:.2f}", ratio(after.seconds, before.seconds),
            f"{before.memory:.0f}", f"{after.memory:.0f}", ratio(after.memory, before.memory),
        ]

    rows, wrong = survey(chosen(MODELS, arguments.only), work)
    head = ["model", "states", "transitions", "before s", "after s", "ratio", "before MiB", "after MiB", "ratio"]
    table([head, *rows])
    return wrong


def beside_peers(arguments, folder):
    tools = [Bcheck("bcheck", arguments.bcheck, arguments.workers)]
    for peer in (Rumur(), Spin()):
        missing = [program for program in peer.needs if shutil.which(program) is None]
        if missing:
            print(f"{peer.title} is left out: {', '.join(missing)} is not installed")
        else:
            tools.append(peer)

    def work(shared):
        subject = lambda tool: shared.model if isinstance(tool, Bcheck) else shared
        ours, *theirs = measure(tools, shared.model, subject, arguments.runs, arguments.patience, folder)
        row = [shared.model.title, str(shared.model.states), str(shared.model.transitions), f"{ours.seconds:.2f}", f"{ours.memory:.0f}"]
        for peer in theirs:
            if peer is None:
                row += ["-"] * 4
            else:
                row += [f"{peer.preparation:.1f}", f"{peer.seconds:.2f}", f"{peer.memory:.0f}", ratio(ours.seconds, peer.seconds)]
        return row

    rows, wrong = survey(chosen(SHARED, arguments.only, lambda shared: shared.model.title), work)
    head = ["model", "states", "transitions", "bcheck s", "MiB"]
    for peer in tools[1:]:
        head += [f"{peer.title}: making s", "s", "MiB", "ratio"]
    table([head, *rows])
    return wrong


def profile(arguments, folder):
    tools = [Bcheck("bcheck", arguments.bcheck, arguments.workers)]

    def work(model):
        [ours] = measure(tools, model, lambda tool: model, arguments.runs, arguments.patience, folder)
        rates = [f"{count / ours.seconds:.0f}" for count in (model.states, model.transitions)]
        machine = model.machine.rsplit("/", 1)[-1]
        return [model.title, machine, str(model.states), str(model.transitions), f"{ours.seconds:.2f}", f"{ours.memory:.0f}", *rates]

    rows, wrong = survey(chosen(PROFILE, arguments.only), work)
    table([["about", "machine", "states", "transitions", "s", "MiB", "states/s", "transitions/s"], *rows])
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="PROGRAM", help="the earlier build of bcheck")
    parser.add_argument("--after", metavar="PROGRAM", help="the later build of bcheck")
    parser.add_argument("--bcheck", metavar="PROGRAM", help="the build of bcheck for the other two kinds of comparison")
    parser.add_argument("--profile", action="store_true", help="rates on the machines for the plain search")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="runs of which the median is taken [3]")
    parser.add_argument("--only", default="", metavar="PATTERN", help="only the models whose title matches")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="threads of bcheck [1]")
    parser.add_argument("--patience", type=float, default=300, metavar="SECONDS", help="no run may take longer [300]")
    arguments = parser.parse_args()
    pair = (arguments.before, arguments.after)
    if all(pair) and not arguments.bcheck and not arguments.profile:
        kind = before_and_after
    elif not any(pair) and arguments.bcheck:
        kind = profile if arguments.profile else beside_peers
    else:
        parser.error("either --before and --after, or --bcheck with or without --profile")
    if arguments.runs < 1:
        parser.error("--runs must be at least 1")
    try:
        with tempfile.TemporaryDirectory() as folder:
            wrong = kind(arguments, Path(folder))
    except Failure as failure:
        wrong = [str(failure)]
        print(f"failed: {failure}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
