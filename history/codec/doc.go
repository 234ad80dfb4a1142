// Package codec reads and writes recorded histories.
//
// Files finds the files that paths name, File.Histories decodes one of them,
// Decode any reader; both tell plain, gzip and zstd input apart by its first
// bytes and the format by the first keys in it. Formats is the table of
// formats, each with its decoder and its encoder. Whatever is wrong with an
// input is an error with file and line, in memory that Limits bound; see
// Decode for which error ends what.
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
// not matter; a key that is not listed here is an error, and so is a key that
// occurs twice. There are five kinds of lines.
//
// A header, which has the key leadline:
//
//	leadline     1, the version of the format. The only key that is required.
//	             A newer version is an error that ends the file.
//	history      text: the name of the history. Without one, histories are
//	             called by their number in the file, from 1, and a single one
//	             by the empty name.
//	model        text: the sequential specification
//	args         list of values: what the model is constructed with
//	order        "file": events happened in the order of their lines. This is
//	             the default. "stamp": events carry stamps ("at") and
//	             operation identifiers, and may come in any order.
//	tie          "closed", the default: a response and an invocation with the
//	             same stamp belong to concurrent operations. "half-open": the
//	             response was first. Without stamps it has no effect.
//	interleaved  true: other histories may be in the stream at the same time;
//	             see below.
//
// An event, which has the key type:
//
//	type         "invoke", "ok", "fail" (it certainly did not happen) or "info"
//	             (nobody knows: pending for ever, and its process is retired)
//	process      integer or text: who. Required of invocations; a response may
//	             leave it out if it has op.
//	op           integer or text: which operation. If one invocation of a
//	             history has it, all have, and no two the same; under order
//	             "stamp" they must. Without it, responses are matched by
//	             process, and edges and marks are not possible.
//	method       text; required of invocations, and of no response
//	args         list of values, of invocations; absent means none
//	result       a value, of type "ok" only
//	exception    text: what was thrown instead, by name; of type "ok" only
//	unknown      true: it returned, but nobody saw what; of type "ok" only. A
//	             response of type "ok" with none of these three has no result,
//	             as of a void method.
//	at           integer: the stamp, in whatever unit. Required under order
//	             "stamp", otherwise a remark that nothing looks at.
//	history      text: which history, if several are interleaved
//
// An order edge, {"edge":[3,5]}: operation 3 came before operation 5, whatever
// their events say. One out of a pending operation says that it happened.
//
// A mark, {"mark":"happened","op":3} or {"mark":"did-not-happen","op":3}, of
// a pending operation. Edges and marks may stand anywhere in their history,
// also before the operations they name, and take the key history as events do.
//
// An end, {"end":"h1"}: the history of that name is complete. It is needed
// only where somebody waits for it at the other end of a pipe.
//
// A header ends the history before it, unless that one said
// "interleaved":true. Such a history has a name, all its lines carry it in
// history, and it stays open until its end line or the end of the stream.
//
// Values are JSON: null, true, 3 (integers have 64 bits), 1.5 (everything with
// a fraction or an exponent is a 64-bit float), "text", [1, 2], and {"k": 1},
// which is a map with texts for keys. An object with a key that begins with $
// has that one key and stands for what JSON cannot say:
//
//	{"$map": [[1, "one"], ["$", 2]]}   a map with any keys
//	{"$exception": "java.lang.Error"}  an exception, where it is not the result
//	{"$unknown": true}                 a value that nobody saw
//	{"$none": true}                    no value
//	{"$float": "NaN"}                  also "Infinity" and "-Infinity"
//	{"$bytes": "/w=="}                 text that is not UTF-8, in base 64
//	{"$exception-bytes": "/w=="}       an exception whose name is not UTF-8
//
// A file may be read while it is being written. A last line without a newline
// that is no JSON is torn: it is reported, and everything before it delivered,
// as it is of a gzip or zstd file that is cut short. Any other line that is no
// JSON spoils the histories that are open there, since each may lack an event.
//
// # Violat
//
// Violat writes an object per history, with a schema and the events. Several
// may follow one another; they are called by their number then, from 1. The
// model is schema.class without "java.util.concurrent.", its arguments are
// schema.arguments; an event's process is its sid, its operation the id of
// its invocation. Results are texts: "true", "false", "null" and integers are
// what they say, the full name of a Java class that ends in Exception or Error
// is an exception, and any other text stays as it is: "[1, 0]", "{0=1}". A
// scalar that is no text is taken as such. A void method has no result, but
// may throw; any other return needs a value.
//
// A return whose method or arguments differ from those of its call is an
// error. Otherwise events are not held against the schema. The sequences in
// schema.order are pairs (i, j): the harness lets sequence j wait for the end
// of sequence i, so that the events of a true recording show that order
// already and nothing is added to it; a file whose events contradict it is
// refused. Unknown keys are skipped.
//
// The encoder refuses what Violat has no words for: edges and marks, pending
// operations that happened, unknown results, results that are lists, maps or
// texts that would be read as something else. It does not write the history's
// name and tie rule, nor the stamps, which are gone once events are in order.
//
// # Promises
//
// What one of the encoders wrote decodes to the same history, up to file,
// lines, format and the count of operations that did not happen and left no
// trace. Encoding that gives the same bytes.
//
// Decoding is safe on hostile input, and does not wait for more of a stream
// than it needs. Different streams may be decoded at the same time.
package codec
