// Command table measures leadline beside porcupine and writes a table in
// Markdown.
//
//	go run ./table                       # about a minute, up to 100,000 operations
//	go run ./table -full > table.md      # everything, up to 1,000,000; an hour
//	go run ./table -list -full           # the names of the rows
//	go run ./table -rows '^kv/' -repeat 5
//
// It runs in the directory of benchdata/peers and builds leadline first. For
// each row it has leadline record simulate a history, in a temporary file, and
// has both check the file in turns, each in a process of its own:
//
//	leadline record --> history.jsonl --+--> leadline check   --+--> verdict, CPU time,
//	                                    +--> table porcupine  --+    largest resident set
//
// so that reading the file is part of either cost. A process is stopped when
// it has used more CPU time than -time or has more memory than -memory, and
// the table says which and when. One that was stopped is not started again;
// the ratio is then a bound. The truth of simulated histories is known: a
// verdict that is something else ends the program with status 1.
//
// Small histories are checked in one process, from parsed history to verdict,
// since nobody starts a process for each; see peers.Race. Jepsen's logs of
// etcd are not part of the project, and the row says so where they are
// missing.
//
// Progress goes to standard error. Linux only: elsewhere there is no simple
// way to stop a process that has too much memory.
package main
