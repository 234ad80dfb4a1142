// Command table compares the cost of leadline and porcupine and writes a table
// in Markdown.
//
//	go run ./table                       # about a minute, up to 100,000 operations
//	go run ./table -full > table.md      # everything, up to 1,000,000; an hour
//	go run ./table -list -full           # the names of the rows
//	go run ./table -rows '^kv/' -repeat 5
//
// It runs in the directory benchdata/peers and builds leadline first. For each
// row, leadline record simulates a history in a temporary file. Both check the
// file in turns, each in its own process:
//
//	leadline record --> history.jsonl --+--> leadline check   --+--> verdict, CPU time,
//	                                    +--> table porcupine  --+    largest resident set
//
// So reading the file is part of each cost. A process is stopped when it has
// used more CPU time than -time or has more memory than -memory. The table
// shows the limit and the value. A checker that was stopped is not started
// again; the ratio is then a bound. The truth of simulated histories is known:
// a wrong verdict ends the program with status 1.
//
// The section "As the peers' own files" has leadline alone: leadline convert
// writes the history in the format of another program, and leadline checks both
// files in turns.
//
// Small histories are checked in one process, from parsed history to verdict,
// since nobody starts a process for each; see peers.Race. Jepsen's logs of etcd
// are not part of the project; if they are missing, the row shows that.
//
// Progress goes to standard error. The command needs Linux: elsewhere there is
// no simple way to stop a process that has too much memory.
package main
