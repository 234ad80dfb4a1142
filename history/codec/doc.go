// Package codec reads and writes recorded histories.
//
// Files finds the files that paths name, also in directories and archives (see package
// files, which also decompresses), File.Histories decodes one of them, and Decode decodes any
// reader. Formats are recognised by the first data of the input; see
// Detect. Formats returns the table of formats. Encode writes the
// native format.
// Errors have a file and a line; Format.Decode says after which of them decoding goes
// on. Limits bound the memory that decoding takes.
//
// This package is the door: it finds the format. Each format is a package below, and package
// decode, what they share, says how one is added.
//
// An EventWriter writes the native format event by event, for recorders.
//
// # The native format
//
// leadline's own format is JSON Lines: one JSON object per line, in UTF-8. A
// history is a header and the events after it:
//
//	# a queue with room for one element
//	{"leadline":1, "history":"h1", "model":"ArrayBlockingQueue", "args":[1]}
//	{"process":"A", "type":"invoke", "method":"offer", "args":[1]}
//	{"process":"B", "type":"invoke", "method":"poll"}
//	{"process":"A", "type":"ok", "result":true}
//	{"process":"B", "type":"ok", "result":1}
//
// which is the history
//
//	A  |-- offer(1): true --|
//	B       |-- poll(): 1 -------|
//
// Lines that are blank or begin with '#' are skipped. The order of keys does
// not matter. A key that is not listed here is an error, and so is a key that
// occurs twice. There are five kinds of lines.
//
// A header, which has the key leadline:
//
//	leadline     1, the version of the format. The only key that is required.
//	             A newer version is an error that ends the file.
//	history      string: the name of the history. Without one, histories are
//	             named by their number in the file, from 1, and a single one
//	             has the empty name.
//	model        string: the sequential specification
//	args         list of values: what the model is constructed with
//	order        "file", the default: events happened in the order of their
//	             lines. "stamp": events carry stamps ("at") and operation
//	             identifiers, and may come in any order.
//	tie          "closed", the default: a response and an invocation with the
//	             same stamp belong to concurrent operations, unless one
//	             process issued both. "half-open": the response was first,
//	             and an operation whose two stamps are equal is a fault.
//	             Without stamps it has no effect.
//	durability   "strict" or "durable": what an operation may do that is open at a crash. It
//	             takes effect before the crash or never; or it is pending, and may also do so
//	             later. A history with a crash and without this word is refused.
//	torn, guessed
//	             of earlier versions: read, with a warning
//
// An event, which has the key type:
//
//	type         "invoke", "ok", "fail" (it certainly did not happen), "info"
//	             (unknown: it stays pending, and what its process does afterwards is
//	             that of a new process, named "3#2" after process 3) or "waits" (it
//	             never returned, as nothing that still runs can wake it: a deadlock).
//	             Such events come last. A history with one is linearizable only if its
//	             model, such as the runs that leadline stress saves, waits there, too.
//	             A method that may wait in some states of the model, as lock of a
//	             mutex, is then an error.
//	             Or "crash": here all processes end, or those in the list "processes", and with
//	             them their operations without a response, in the way that durability says.
//	process      integer or string: who. Required of invocations; a response may
//	             leave it out if it has op.
//	op           integer or string: which operation. Either all invocations of
//	             a history have it, each a different one, or none; under order
//	             "stamp" it is required. Without it, responses are matched by
//	             process, and edges and marks are not possible.
//	method       string; required of invocations, not allowed in responses
//	args         list of values, of invocations; absent means none
//	result       a value, of type "ok" only
//	exception    string: what was thrown instead, by name; of type "ok" only
//	unknown      true: it returned, but the result was not observed; of type "ok"
//	             only. A response of type "ok" with none of these three has no
//	             result, as of a void method.
//	version      integer, from 0 on: the version that the object had then (a revision, an
//	             index, a fencing token), or its key; see replay.Versioned; of type "ok" only
//	for          string: where a call waits, for what, and who holds it: "waits at
//	             map.go:7 for sync.Mutex.Lock, held by process 1"; of type "waits" only
//	at           integer: the stamp, in whatever unit. Required under order
//	             "stamp". Ignored under "file"; but if the header has no order,
//	             stamps that contradict the order of the lines (see Jepsen) are a
//	             fault.
//	history      string: the history, which is the open one
//
// An order edge, {"edge":[3,5]}: operation 3 came before operation 5, whatever
// their events say. An edge out of a pending operation means that it happened.
//
// A mark, {"mark":"happened","op":3} or {"mark":"did-not-happen","op":3}, of
// a pending operation. Edges and marks may stand anywhere in their history,
// also before the operations they name, and take the key history as events do.
//
// An end, {"end":"h1"}: the history of that name is complete. It is needed
// only where a reader waits for it at the other end of a pipe.
//
// A header ends the history before it.
//
// Values are JSON: null, true, 3 (integers have 64 bits), 1.5 (everything with
// a fraction or an exponent is a 64-bit float), "string", [1, 2], and {"k": 1},
// which is a map with strings for keys. An object with a key that begins with $
// has only that key, and means what JSON cannot express:
//
//	{"$map": [[1, "one"], ["$", 2]]}   a map with any keys
//	{"$exception": "java.lang.Error"}  an exception, where it is not the result
//	{"$unknown": true}                 a result that was not observed; never an
//	                                   argument or a part of another value
//	{"$none": true}                    no value
//	{"$float": "NaN"}                  also "Infinity" and "-Infinity"
//	{"$bytes": "/w=="}                 a string that is not UTF-8, in base 64
//	{"$exception-bytes": "/w=="}       an exception whose name is not UTF-8
//
// A file may be read while it is being written. A last line without a newline that is a
// JSON object is complete. One that is not JSON is cut: it is an error of the file. What
// comes before it is then a prefix of a history in file order, and is read as that. A
// history ordered by stamps is invalid there, because any of its events may be missing. So
// is one in which a pending operation happened, by a mark or an edge. The same holds for
// a gzip or zstd file that is cut short. Any other line that is not JSON makes the
// histories that are open there invalid, since each may lack an event. A cut at the end
// of a line cannot be seen.
//
// In all other formats, a record that is cut is an error. Lines of PolyLin, LiMo, etcd,
// tables and logfmt need no newline at the end of the file: a last line that can be read
// is whole, and Header.Unterminated is set.
//
// # Violat
//
// Violat writes an object per history, with a schema and the events. If several
// follow one another, they are named by their number, from 1. The
// model is schema.class without "java.util.concurrent.", and its arguments are
// schema.arguments. An event's process is its sid, its operation the id of
// its invocation. An object is held as a whole while it is read, and a key that it has
// twice is a fault of the file.
// Results are strings:
//
//   - "true", "false", "null" and integers mean themselves;
//   - the full name of a Java class that ends in Exception or Error is an
//     exception;
//   - any other string stays as it is: "[1, 0]", "{0=1}".
//
// A scalar that is not a string means itself. A void method has no result,
// but may throw; any other return needs a value.
//
// A return whose method or arguments differ from those of its call is an
// error. Events are not compared with the schema otherwise. The sequences in
// schema.order are pairs (i, j): the harness makes sequence j wait for the end
// of sequence i. The events of a recording have that order anyway, so nothing is
// added; a file whose events contradict it is refused. Unknown keys are skipped.
//
// # Jepsen
//
// Jepsen's histories are EDN: vectors or lists of operations, each of them a
// history, or operations one after another, which are one. An operation is a
// map with :process, :type, :f and :value, tagged or not, or a tuple
// [process type f value]. The process :nemesis is ignored, and so are other keys,
// except :key, which only format kv has, and :index and :time.
//
//	[{:process 0, :type :invoke, :f :write, :value 1}
//	 {:process 1, :type :invoke, :f :read,  :value nil}
//	 {:process 0, :type :ok,     :f :write, :value 1}
//	 {:process 1, :type :ok,     :f :read,  :value 1}]
//
// An operation that completes with :fail did not happen and is left out. So is
// a cas that failed to compare: its record only promises that it changed
// nothing. With :info, or no completion, an operation stays pending; after :info
// its process may go on, as a new one. The value of an :ok is what was done and returned.
//
// Events are ordered as their lines are. An :index or a :time contradicts it if a
// response comes before an invocation in the file and not by :index or :time, or the
// other way round. Two invocations, or two responses, may come in any order. After a
// contradiction the index orders the events if each has one, and otherwise the time, where
// equal times are concurrent. A warning says so, and Header.SortedBy is set. A history is
// invalid if neither is complete, or if events of a process do not alternate in that
// order.
//
// The same history as JSON, a list of objects or one after another, is read with the keys
// process, type, f, value, index and time.
//
// Words and values determine the model:
//
//   - read, write and cas are a cas-register, nil at first; with values
//     [key value], as independent tests have them, a kv. Independent tests of
//     other objects are refused where an invocation with [key nil] shows them. An :ok
//     read of nil returned null; in knossos any state explains it. If the object is not
//     nil at first, choose its initial value, as in --model cas-register:0;
//   - txn is a multi-register, and so are read, write and append if all values are lists of
//     micro-operations such as [[:r 9 nil] [:w 9 3]]. Its initial values are what reads find before
//     any write of that value. In tests that append, it is nil, or [] where the first
//     read of an empty list returns that;
//   - add and read are a set, or a counter if numbers are read;
//   - enqueue and dequeue, push and pop, acquire and release, insert and poll,
//     push-front and its kin are queue, stack, mutex, priority-queue and deque.
//
// Histories with other words name no model, and their methods are the words. A warning
// names a model that was inferred from reads alone which return values: with a later
// add they are a counter or a set.
//
// Keywords are strings with their colon, sets sorted lists, ratios strings. Integers
// may be written as 0x1F, 017 and 2r101 too.
//
// Format kv is the same with a :key in every operation and the words get, put,
// append, delete and cas: a kv, in which a missing key is "", or nil if a get reads
// that or a cas expects it. Format etcd is Jepsen's log or console, or a history.txt: lines
// PROCESS :TYPE :F VALUE, and noise between them. Once an event follows the word jepsen.util, lines
// without that word are not events, nor is anything in the report of knossos. A line
// "lein test ...", or one of jepsen.core where a test begins, a worker starts again or the
// clients are done, ends a history. Two tests without such a line are refused where the numbers
// of processes begin anew: one goes on after its unknown outcome, although a larger number was
// new since then. So are two tests where an :index occurs twice.
// A date at the beginning of a line is its time. An error may follow the value of a :fail or :info. A read that fails with :timed-out there has
// returned with an unknown result, since its process goes on.
//
// # PolyLin and LiMo
//
// PolyLin's files have a header, # stack, queue, pqueue, set or deque, and
// lines "method value start end" (of a set "method value result start end")
// in any order. The stamps are half-open: a response at t precedes an
// invocation at t. Every operation is a process of its own. The result -1 means
// empty and is read as null; pqueue is priority-queue:max.
//
// LiMo's files begin with # @object atomic-stack or atomic-queue; lines are
// "[id] call push(1)", "[id] return", "[id] return 1", "[id] return empty". A
// number in brackets is read as a process. It is usually that of an operation,
// sometimes that of a thread. A call while it is open is an error. A pop that
// returns without a value found nothing, unless its call has the value. A line
// "crash" leaves open calls pending; their numbers may be used again.
//
// In both a new header begins another history.
//
// # Mappings
//
// Options.Map is a mapping for records of other programs: JSON objects, one after another or
// in a list, the rows of a table with a header (CSV, or separated by tabs, semicolons or
// bars), lines of logfmt (NAME=VALUE), or columns separated by blanks, without a header, which
// are called c1, c2 and so on. Lines that begin with # are comments. One file is one history.
// The first line shows which of them it is, unless the mapping says so.
//
// A mapping has entries NAME=EXPRESSION, each in a line of its own or after a comma. In
// lines of their own, a line that begins with a blank continues the one before it, and one
// that begins with # is a comment.
//
//	process = client.id
//	type = phase == "start" ? "invoke" : outcome
//	f = lower(call.name)
//	args = [call.key, call.value]
//	result = reply?.value
//	model = kv
//
// The language of expressions is that of github.com/expr-lang/expr (see its language
// definition). A record is its environment: a field is a name, and $env["NAME"] if that
// is not an identifier, or is a word of the language. A function may have the same name, since
// a parenthesis follows it. $line is the number of the line, and $text the text of the record
// (of a row in CSV: its cells, without quotes, and the separators).
// A mapping that names $text and no field reads lines of any form.
// The names of a mapping are
//
//	skip      true for a record that is not about an operation
//	process   who: an integer or a string; without it, each operation is a process of its own
//	op        the operation: an integer or a string, needed if a process has several at a
//	          time. A process may use one again, and several may use the same
//	f         the method, of an invocation
//	args      its arguments: a list of them, or the only one. Those that are nil at the end
//	          are left out
//	result    what it returned, or exception(NAME), or unknown() if that was not recorded.
//	          Without this part, nothing was recorded. A method that returns nothing has
//	          no result, whatever is recorded
//	version   the version of the object, or of the key, that was recorded with the result: an
//	          integer from 0 on, or nil
//	model     the specification: NAME or NAME:ARGUMENT, no expression
//	tie       closed (the default) or half-open, no expression
//	durability  strict or durable, no expression: what operations that are open at a crash may do
//	read      json, csv, tsv, logfmt or columns, no expression
//	header    no, if the first line of a table is a record: its columns are then called c1, c2
//	          and so on. Between tabs, quotes have no meaning then, and lines may differ in
//	          their number of columns
//	records   a path of names, no expression: the records are the elements of lists inside of
//	          objects, as in data.items. On the way there may be lists. A record also has the
//	          members of the objects around it, if it does not have them itself
//
// and, if records are events,
//
//	type      "invoke", "ok", "fail" (it did not happen) or "info" (unknown); or "crash", of the
//	          process, or of all without one
//	at        the stamp, if events are not in the order of the lines
//
// or, if they are whole operations,
//
//	call      the stamp of the invocation
//	return    that of the response, or nil
//	outcome   "ok", "fail" or "info"; without it, an operation whose return is nil is pending
//
// A stamp is an integer, or a string with an integer or a date of RFC 3339. The operators +, - and *
// take dates and durations as their nanoseconds, and beside a number also a string that is a date,
// as in begin + ns(took, "ms"). The function ns(X, UNIT) returns the nanoseconds
// of a number, of a date, or of a duration such as 4.5ms. UNIT is that of plain numbers, "s", "ms",
// "us" or "ns", which is the default. It reads fields in their text, so that it
// never rounds. The function refuse(TEXT) reports a record as a fault.
//
// After an outcome that is unknown, a process may go on, as a new one. If events are in the order of
// their lines, and a field that looks like a stamp contradicts that (see Jepsen), the history
// is refused. It is also refused if several fields look like stamps, until at says which one is, or
// at=$line. It is a fault if no record has a field, or if none has a member of an object that
// some have, unless its expression compares it with nil or has it before ?? or ?. somewhere.
//
// The nodes of an expression, and the memory and the work that it takes for one record, are bounded.
// At most two loops (map, filter, any and so on) may be inside of one another. The
// functions abs, findLast, findLastIndex, repeat, sum, toJSON and uniq of the language are missing.
//
// A history has a warning if its stamps look like those of a wrong unit: all operations overlap at
// one moment, or more than half of more than 20, or no two of more than 20 by three processes.
// It has one as well if no outcome is given, and an operation that returned has a field, such
// as err or state, that says that it failed and that no expression names.
//
// Numbers with a fraction or an exponent are floats, and integers of more than 64 bits
// strings of their digits. Cells of a table and values of logfmt without quotes are
// integers, floats, true, false, lists and objects in JSON, or else strings; an empty one,
// null, nil and <nil> are nil. If a blank follows a separator of a table's header, blanks
// before cells do not count; if one precedes a separator, blanks after cells do not count.
// In a line of logfmt, words without = belong to the value before them.
//
// The format s2 is a mapping in package records, chosen by the keys of the first object.
//
// # Client reports of etcd
//
// Format etcd-report has a file per client, as in client-1/operations.json. All of them together
// are one history, so Files reports each as a fault. The same holds for a client-1.json beside a
// client-2.json. Package etcd says what is read of them.
//
// # Promises
//
// What Encode wrote decodes to the same history, except for file, lines, format and the
// count of operations that did not happen and left no trace. Encoding that history again gives the
// same bytes.
//
// Decoding is safe on hostile input, and does not wait for more of a stream
// than it needs. Different streams may be decoded concurrently.
package codec
