//! The page about checks that are long or large.
//!
//! Invariant: every option on it exists (tested). Deliberately elsewhere: what each option does in detail (`args` and its neighbours).

/// A failure, its symptom, the remedy.
const FAILURES: &[(&str, &str, &str)] = &[
    ("time or memory limit, Ctrl-C, SIGTERM", "152, and the command that continues", "run that command, with other limits if need be"),
    ("killed (kill -9, power, out of memory)", "no report; 137 in a shell", "--resume DIR: the last checkpoint is valid"),
    ("the disk is full, or --disk-limit", "152, with the reason", "make room or give more, then --resume DIR"),
    ("a file cannot be read or written", "153, with its name", "repair the disk, then --resume DIR"),
    ("a checkpoint is damaged", "153, with file and byte; or a warning", "with the warning, the one before is used by itself"),
    ("other machine, sizes, options, version", "2, with the first difference", "give what the checkpoint has, or begin a new one"),
    ("the folder is in use", "153, with the process", "wait for that process, or end it"),
    ("the folder is not empty", "153 before the search", "another folder, or --resume if it is a checkpoint"),
    ("a process of --processes is lost", "a warning; 152 after --restarts of them", "the command that it names"),
    ("a process of --hosts is lost, or silent for 60 s", "152 from all others, with its number", "start all again with --resume DIR"),
    ("processes do not connect", "2 or 153, with the one that is missing and why", "the same machine, options, key, version for all"),
    ("another process sent invalid data", "152, with its number", "look who can reach the addresses, then --resume DIR"),
    ("a second Ctrl-C", "130 at once", "--resume DIR: states since the last checkpoint are computed again"),
];

const BEFORE: &str = "\
Checks that are long or large.

1. How large will it be?
  bcheck estimate m.mch --deferred 8
      searches small sizes for 20 seconds (--time-limit) and extrapolates: states, memory, disk, time, with error bars
  bcheck compare m.mch --deferred 1..5 --full-limit 0
      the counts of each size, up to symmetry and in all: look whether they grow evenly
  bcheck m.mch --deferred 5 --progress plain
      states per second, and \"peak memory\" in the last lines: divide it by the states of a run that took at least
      100 MiB, and you have the bytes that a state takes in memory
A state in machine words (most machines; --explain-plan OP says where an operation does not fit) takes 8 bytes a word,
a slot in the table, 4 bytes for its parent. A machine with strings, records or sets of sets is kept as bytes: as many
as the state is long, and far more time for each. In a checkpoint, a state of w words takes about 8 w + 1 bytes.

2. What helps, in this order:
  symmetry      on by itself: use deferred sets where elements need no names; --symmetry off only to compare
  --workers     all cores by itself; give fewer where others share the machine
  smaller sizes most faults show at size 3: check that first, let the large size run over night
  --maxint      fewer integers save much; leaving out properties (--no-deadlock and the like) saves little
  --strategy simulate makes random runs where nothing else fits: with --runs or --time-limit, by all workers, as deep as
                --max-depth; it counts the distinct states on the runs and never says `verified`
  --strategy dfs finds deep faults sooner, on one thread; it has no shortest traces and no checkpoints

3. Keep what was done: --checkpoint DIR, in a new or empty folder with room for all states.
  bcheck m.mch --deferred 8 --checkpoint kept --status status.json
  bcheck m.mch --deferred 8 --resume kept        after whatever ended it; limits and --workers may differ
  bcheck checkpoint kept                         who writes it, how far it is, whether its checksums hold
A checkpoint is made each 300 seconds (--checkpoint-every) and costs what was found since the last one. A check that was
gone on with reports the counts, verdict, trace and warnings of one that was never interrupted.

4. More states than memory holds: --disk DIR, in a new or empty folder, which has the checkpoints as well.
  bcheck m.mch --deferred 9 --disk states --memory-limit 16G --disk-limit 400G
  bcheck m.mch --deferred 9 --resume states      after whatever ended it
--memory-limit is then where states begin to go to the folder (by default at half of the memory of the machine), not
where the check stops; --disk-limit stops it. A state takes its 8 w + 1 bytes in the log and up to 7 w in sorted runs,
twice that while runs are merged. Local disks serve: runs are read through once and again.

5. Several processes, each with a part of the states in memory and on its own disk:
  bcheck m.mch --deferred 9 --disk states --processes 4 --memory-limit 4G
      on this machine; limits are those of each process; one that is lost is started again with the others
  bcheck m.mch --deferred 9 --disk states --hosts hosts.txt --process 0 --mesh-key key
      on several: each line of hosts.txt is host:port; start one process for each line, --process 0 reports
They gain where one machine has too little memory, or where states are slow to make (symmetry); a plain search of small
states is faster with --workers alone. With Slurm, one on each node:

  srun -N \"$SLURM_NNODES\" sh -c 'bcheck m.mch --disk \"$DIR\" --hosts hosts.txt --mesh-key key --process $SLURM_PROCID'

How far --hosts can be trusted: the key of --mesh-key shows that who connects belongs to the run, and without one only
processes of the same user of the same machine are let in. What follows this handshake is neither encrypted nor
authenticated: someone on the path between the machines can read the states and forge a verdict, `verified` where there
is a violation. Use a private network, or tunnels of ssh, where that matters.

6. Watch it: progress on stderr (--progress plain in a log), or --status FILE as JSON, replaced each second. An estimate
is shown once four levels in a row have shrunk; before, nobody knows: levels that grow foretell nothing.

7. A batch system. Leave time between the limit of bcheck and that of the job, since a last checkpoint is written when
the limit strikes, and exit codes are those of bcheck --help. For Slurm:

  #!/bin/sh
  #SBATCH --cpus-per-task=16 --mem=64G --time=24:00:00 --signal=TERM@120
  if [ -e \"$DIR/manifest\" ]; then how=--resume; else how=--checkpoint; fi
  srun bcheck m.mch --deferred 8 $how \"$DIR\" --time-limit 84000 --memory-limit 60G \\
      --workers \"$SLURM_CPUS_PER_TASK\" --status \"$DIR.json\" --output \"$DIR.txt\"
  if [ $? = 152 ] && grep -q -- --resume \"$DIR.txt\"; then sbatch --export=ALL,DIR=\"$DIR\" \"$0\"; fi

The folder should lie on a disk of the node or a file system that synchronises reliably: when it reports that data is
synchronised, it must be on the disk. At a memory limit a new job with the same limit stops at once again: give it more.

8. What can fail, how it looks (exit code first), what to do:
";

/// The page.
pub(super) fn scale() -> String {
    let mut text = BEFORE.to_owned();
    for (what, looks, remedy) in FAILURES {
        text += &format!("\n  {what}\n      {looks}\n      {remedy}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory;

    #[test]
    fn every_option_on_the_page_exists() {
        let whole = Cli::command();
        let known: Vec<String> = std::iter::once(&whole)
            .chain(whole.get_subcommands())
            .flat_map(|command| command.get_arguments().filter_map(|argument| argument.get_long().map(str::to_owned)).collect::<Vec<_>>())
            .collect();
        let page = scale();
        let lines = page.lines().filter(|line| !line.contains("#SBATCH") && !line.contains("sbatch"));
        let words = lines.flat_map(|line| line.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-')));
        let options: Vec<&str> = words.filter_map(|word| word.strip_prefix("--")).filter(|option| !option.is_empty()).collect();
        assert!(options.len() > 20, "{options:?}");
        for option in options {
            assert!(option == "help" || known.iter().any(|known| known == option), "--{option}");
        }
    }
}
