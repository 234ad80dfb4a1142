// # Formats
//
// Leadline detects the format of a file by its content, unless --format names it.
// Its own format, native, is JSON Lines, which is easy to write by hand or from a
// recorder, and can be read while it is still being written. Package history/codec
// documents all formats:
//
//	$ leadline formats
//	native       leadline's own, JSON Lines: a header per history, then an event per line
//	violat       Violat's JSON: an object with schema and events per history
//	jepsen       Jepsen's EDN: a vector, list or stream of maps or tuples
//	kv           key-value logs in EDN, a map with :key per line (porcupine's test data)
//	etcd         Jepsen's logs and history.txt: process, type, word and value in a line
//	polylin      PolyLin's: method, value, start and end in a line, below # stack, queue, pqueue, set or deque
//	limo         LiMo's: [id] call push(1) and [id] return in lines below # @object atomic-stack or atomic-queue
//	jepsen-json  Jepsen's events as JSON: objects with process, type, f and value, in a list or one after another
//	etcd-report  client reports of etcd's robustness tests, in JSON
//	s2           S2's records of starts and finishes, in JSON
//	Each may be plain or compressed by gzip or zstd, and in a tar or zip archive.
//
// Events of Jepsen are in the order of the file. If an index or a time contradicts that,
// because a response comes before an invocation by one and not by the other, events are
// ordered by the index if each has one, and otherwise by the time. A warning says so.
// A read of nil that is :ok returned null here, where knossos lets any state explain it. A
// register is null at first; --model cas-register:0 begins with 0. If first reads find
// another value, explain names the initial value that would do, if there is one.
//
// A call of a native history may wait for ever, as in a deadlock that leadline stress found: its
// last event has the type "waits", with what it waits for. It is a violation unless a sequential
// run waits there, too.
//
// Convert writes histories in leadline's own format, and with --model under the name of
// another model:
//
//	leadline convert --format jepsen history.edn >history.jsonl
//
//	$ leadline convert cmd/leadline/testdata/stack.hist
//	{"leadline":1,"model":"stack"}
//	{"process":0,"op":0,"type":"invoke","method":"push","args":[1]}
//	{"process":1,"op":1,"type":"invoke","method":"pop"}
//	{"process":0,"op":0,"type":"ok"}
//
// The client reports of etcd's robustness tests are a file per client, which together are one
// history. Check refuses the file of one client beside those of others:
//
//	cat report/client-*/operations.json | leadline check -
//
// Records of other programs need a mapping; see Logs of other programs.
package main
