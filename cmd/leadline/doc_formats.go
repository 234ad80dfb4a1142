// # Formats
//
// Leadline detects the format of a file by its content, unless --format names it.
// Its own format, native, is JSON Lines, which is easy to write by hand or from a
// recorder, and can be read while it is still being written. Package history/codec
// documents all formats:
//
//	$ leadline formats
//	native     leadline's own, JSON Lines: a header per history, then an event per line
//	violat     Violat's JSON: an object with schema and events per history
//	jepsen     Jepsen's EDN: a vector, list or stream of maps or tuples
//	kv         key-value logs in EDN, a map with :key per line (porcupine's test data)
//	etcd       Jepsen's logs and history.txt: process, type, word and value in a line
//	polylin    PolyLin's: method, value, start and end in a line, below # stack, queue, pqueue, set or deque
//	limo       LiMo's: [id] call push(1) and [id] return in lines below # @object atomic-stack or atomic-queue
//	jsonl      other JSON: Jepsen's events, starts and finishes, operations with Call and Return, or what --map says
//	Each may be plain or compressed by gzip or zstd, and in a tar or zip archive.
//
// Events of Jepsen are in the order of the file. If an index or a time contradicts that,
// because a response comes before an invocation by one and not by the other, events are
// ordered by the index if each has one, and otherwise by the time. A warning says so.
// A read of nil that is :ok returned null here, where knossos lets any state explain it. A
// register is null at first; --model cas-register:0 begins with 0. If first reads find
// another value, explain names the initial value that would do, if there is one.
//
// Convert writes histories in another format, and with --model under the name of
// another model. What that format cannot represent is an error:
//
//	leadline convert --to native --format jepsen history.edn >history.jsonl
//
//	$ leadline convert --to limo cmd/leadline/testdata/stack.jsonl
//	# @object atomic-stack
//	[0] call push 1
//	[1] call pop
//	[0] return
//
// --map reads the records of other programs by a mapping, which says what each field
// of a record holds and what its words mean. Records are JSON objects, one after
// another or in a list, the rows of a table with a header (CSV, or with another
// separator), or lines of logfmt. Leadline map reads the first records and proposes a
// mapping, with comments on what is uncertain:
//
//	$ leadline map cmd/leadline/testdata/calls.csv
//	# a mapping for csv, from 3 of its records
//	call=start
//	return=end
//	process=client
//	f=op
//	key=key
//	value=value
//	ok when status=found|ok
//	lost when status=timeout
//	# unsure: value is taken to be the argument of writes and the result of reads
//	# without a model=NAME, the words put, get and the values determine it
//	# read by it, the beginning of the file has 3 operations, 1 of them pending
//
// Each row is a whole operation here:
//
//	client,op,key,value,start,end,status
//	c1,put,a,7,2024-05-01T10:00:00.000000001Z,2024-05-01T10:00:00.000000003Z,ok
//	c2,get,a,7,2024-05-01T10:00:00.000000002Z,2024-05-01T10:00:00.000000004Z,found
//	c3,put,a,8,2024-05-01T10:00:00.000000005Z,,timeout
//
// A mapping is given on the command line, with commas, or in a file, with comments:
//
//	$ leadline check --map @cmd/leadline/testdata/calls.map cmd/leadline/testdata/calls.csv
//	linearizable      depth 1      3 ops   3 procs  c=2  cp=1    2 orders       1 pending  cmd/leadline/testdata/calls.csv
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// More examples:
//
//	leadline map trace.log >trace.map       # then correct it
//	leadline check --map @trace.map trace.log
//	leadline check --map call=t0,return=t1,f=op,value=v x.csv
//	leadline check --map call=t,duration=d,unit=ms,f=op x.log
//	leadline convert --to native --map @trace.map trace.log
//
// Records have one of three shapes. Whole operations have the stamps of call and
// return, or one of them and a duration. Events have a type:
//
//	$ leadline check --map process=who,type=phase,f=call,args=in,result=out,model=register cmd/leadline/testdata/events.jsonl
//	linearizable      depth 1      2 ops   2 procs  c=2  cp=1    2 orders       cmd/leadline/testdata/events.jsonl
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// The file has:
//
//	{"who":"c1","phase":"begin","call":"write","in":[7]}
//	{"who":"c2","phase":"begin","call":"read"}
//	{"who":"c1","phase":"end"}
//	{"who":"c2","phase":"end","out":7}
//
// Starts and finishes are objects of their own; package history/codec describes them.
//
// An entry NAME=PATH says where something is. The path a.b is the field "a.b" or, without
// such a field, the field b of the object a; a.0 is the first element of the list a. If a
// longer path can be split in several ways, the shortest first field that leads to
// something counts. The names are:
//   - process, which is optional if each operation is a process of its own;
//   - op, an identifier of the operation: an end with it need not have the process and
//     the method;
//   - type of an event: its usual words are known (invoke, begin, start, call, request;
//     ok, end, return, response; fail; info, timeout). Others are listed as in
//     invoke=asked|sent, ok=done, fail=refused, lost=expired;
//   - status, how an operation ended, with the words of type;
//   - f, the method; key, a first argument in a field of its own; args, a list of
//     arguments or a single one (null is none if no record of the method has another), or
//     several fields, as in args=[key old new]; result; exception, the name of one;
//   - value instead of args and result, where one field has both;
//   - at, the stamp of an event, if events are not in order in the file;
//   - call and return, or start and finish; input and output;
//   - duration in place of call or return.
//
// Stamps are integers of any unit, decimal numbers, or RFC 3339 dates. They are never
// rounded. If stamps are numbers, a duration has the same unit; with dates it has a unit
// of its own, as 1.5ms, or that of unit=ms (s, ms, us or ns), which is a fault with
// numbers. With stamps=ns, numbers have that unit, and stamps and durations of other units
// are converted. An operation without a return is pending. Conditions say how operations ended;
// they come before the status:
//
//	ok when status=ok|found
//	null when status=notfound
//	lost when status=timeout and op!=get
//	fail when error=conflict
//	skip when level=debug
//
// The test of a PATH alone holds if its value is not null, false, 0 or "". The outcomes
// are ok, null (it returned null), unknown (its result was not recorded),
// fail (it did not happen), lost (it may have happened, or may still happen), skip (the
// record is not about an operation) and invoke. If there is a condition for ok, an end
// that meets no condition and has no status is a fault. Further entries are:
//   - void=put|delete: these methods return nothing, and an absent result of others is
//     null;
//   - rename=GET:get|ENQ:enqueue: the methods that words of f mean;
//   - values=string: numbers, true and false in args, result, key and value are strings,
//     also inside lists and objects, for logs that record a value now as 7, now as "7";
//   - tie, half-open if a return at a time precedes a call at the same time, or closed
//     (the default) if they are concurrent; an operation that is half-open and has two
//     equal times is a fault;
//   - zone=Z or zone=+02:00, the time zone of dates without one;
//   - model, for example model=kv:null;
//   - records, which are json, csv, tsv or logfmt, if they are not detected.
//
// It is a fault if a table lacks a column that the mapping names. For other records, it is
// a fault if none has the key, the return or the duration, or a value, result or output
// that is needed.
//
// These need no mapping: histories of Jepsen and Maelstrom (history.edn, history.txt,
// jepsen.log, also as JSON), porcupine's
// operations as JSON, one after another or in a list, and the operations of etcd's
// robustness tests. The latter have a file per client, which together are one history:
//
//	cat report/client-*/operations.json | leadline check -
//
// Check refuses the file of one client beside those of others.
package main
