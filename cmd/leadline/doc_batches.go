// # Batches
//
// Check is made for archives of millions of histories. It reads tar archives, plain
// or compressed, and zip archives in place, as if they were directories. A path may
// lead into an archive:
//
//	leadline check -q logs.tar.zst nightly/
//	leadline check logs.tar.zst/run7/a.jsonl
//
// Results come in the order of the input: the arguments in their order, the files of
// a directory by name, the members of an archive in its own order. They are the same
// for any number of --jobs. Memory does not grow with the number of histories, except
// for a zip archive's own directory. With --jobs 1, a large file is not read by two threads.
//
// Nothing is left out silently. In directories and archives, files of no known
// format are left out, counted, and reported on stderr with the first few names.
// What the command itself writes there is not read.
// Files that are empty, unreadable, or compressed in an unsupported way are faults,
// and so are links to directories and links in archives: the status is 2.
//
// With --resume FILE, check keeps a journal. After any stop, even kill -9 or a crash
// of the machine, the same command continues: it prints the whole output again, the
// same bytes as without a stop, but checks only what is not in the journal. --resume
// needs --output json:
//
//	leadline check -o json --resume journal logs/ >out.jsonl
//
// A journal belongs to one build of leadline, one model and one set of options. It has
// results by file, number and content of each history, so files may be added, and a
// file that has changed is checked again. What is unknown there stays so: other bounds
// (--timeout, --memory) need another journal.
//
// After SIGINT or SIGTERM, the journal is complete up to there and a summary is
// printed. Histories that were not reached are not counted, not even as unknown. The
// last line says how far the batch came, as in "stopped after 40 of 60: 2 not
// linearizable": on stdout below the totals, on stderr with --output json. If the
// histories cannot all be counted within a second, it says "of 60 or more". The status is
// then 3, or 2 or 4 if these hold, whatever was found.
//
// --shard 3/10 checks the third of ten parts: every tenth history. The parts do not
// overlap, and together they are the whole input, which each of them reads:
//
//	$ leadline check --shard 30/120 benchdata/corpora/juc-labelled
//	linearizable      depth 2     12 ops   6 procs  c=4  cp=16   227 orders     benchdata/corpora/juc-labelled/ConcurrentLinkedDeque/h0161.json.zst
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// --fail-fast stops after the first history that is not linearizable. --quiet prints
// only what is not linearizable, unknown or invalid. On a terminal, stderr shows the number
// of histories, their rate, how much of the files was read, and the remaining time.
//
// Reports for other programs are written to FILE.part, which is renamed at the end, so
// that after kill -9 FILE is as it was before:
//   - --junit FILE: JUnit XML. Every history is a test case. One that is not
//     linearizable is a failure; one that is unknown or invalid is an error. The time is
//     how long the check took, or 0 if the result comes from a journal without times.
//   - --summary FILE: a JSON object. histories is the sum of linearizable,
//     not_linearizable, unknown, invalid and internal_errors, and also the sum of
//     checked and from_journal. file_faults and skipped_files count files by reason.
//     complete is false if the batch ended before its input did. The other keys are
//     shard, status (the exit status) and elapsed_ns.
//
// In a workflow of GitHub Actions, these steps show the counts in the summary of a run, and
// annotate a pull request with what is not linearizable:
//
//	steps:
//	- run: leadline check -q --junit leadline.xml --summary leadline.json histories/
//	- if: ${{ !cancelled() }}
//	  run: jq -r '"\(.not_linearizable) of \(.histories) not linearizable"' leadline.json >>"$GITHUB_STEP_SUMMARY"
//	- if: ${{ !cancelled() }}
//	  uses: mikepenz/action-junit-report@v6
//	  with: {report_paths: leadline.xml}
package main
