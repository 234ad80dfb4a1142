// # Logs of other programs
//
// --map reads the records of other programs: JSON objects, one after another or in a list,
// the rows of a table, lines of logfmt, or columns separated by blanks. The first line shows
// which of them it is, unless the mapping says so:
//
//	read=json, csv, tsv, logfmt or columns
//	header=no     the first line of a table is a record; its columns are c1, c2 and so on
//	records=PATH  the records are the elements of lists inside of objects, as in
//	              records=data.batches.items
//
// A mapping gives an expression over the fields of a record for each part of an event or of an
// operation. Package history/codec lists the parts and functions. The language is described
// at https://expr-lang.org. Leadline map lists the fields, and prints a mapping to fill in:
//
//	leadline map trace.log >trace.map       # then fill it in
//	leadline check --map @trace.map trace.log
//
// On the command line, entries are separated by commas, and --map may be repeated. In a
// file, each has a line of its own, and # begins a comment. These are logs with
// their mappings; the files are in cmd/leadline/testdata/logs.
//
// Events with the identifier of a request. Lines about other things are skipped:
//
//	$ leadline check --map 'skip=level == "debug",process=client,op=req,type=phase == "start" ? "invoke" : outcome,f=verb,args=[key, value],result=result,model=kv' cmd/leadline/testdata/logs/events.jsonl
//	linearizable      depth 1      2 ops   2 procs  c=2  cp=1    2 orders       cmd/leadline/testdata/logs/events.jsonl
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// Whole operations in nested objects. The last one got no response:
//
//	$ leadline check --map 'process=session.id,f=request.name,args=request.params,result=response?.data,call=timing.sent,return=timing.received ?? nil,model=kv' cmd/leadline/testdata/logs/nested.jsonl
//	linearizable      depth 1      3 ops   2 procs  c=2  cp=1    2 orders       1 pending  cmd/leadline/testdata/logs/nested.jsonl
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// A list of events, with the method and its arguments in one field, and short names:
//
//	$ leadline check --map 'process=p,type=k,f={"r": "get", "w": "put"}[op[0]],args=op[1:],result=op[2],model=kv' cmd/leadline/testdata/logs/tuples.json
//	linearizable      depth 1      2 ops   2 procs  c=2  cp=1    2 orders       cmd/leadline/testdata/logs/tuples.json
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// A table with stamps in decimal seconds, and timeouts:
//
//	$ leadline check --map 'process=who,f=verb,args=[key, arg],result=got,call=ns(begin, "s"),return=ns(finish, "s"),outcome=state == "ok" ? "ok" : "info",model=kv' cmd/leadline/testdata/logs/seconds.csv
//	linearizable      depth 1      3 ops   2 procs  c=2  cp=1    2 orders       1 pending  cmd/leadline/testdata/logs/seconds.csv
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// Columns separated by tabs, dates, and other names of methods:
//
//	$ leadline check --map 'process=client,f={"ENQ": "enqueue", "DEQ": "dequeue"}[op],args=item,result=got,call=call,return=return,model=queue' cmd/leadline/testdata/logs/renamed.tsv
//	linearizable      depth 1      2 ops   2 procs  c=2  cp=1    2 orders       cmd/leadline/testdata/logs/renamed.tsv
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// Lines of logfmt with durations:
//
//	$ leadline check --map 'process=client,f=lower(op),args=[key, val],result=ret,call=time,return=time + ns(dur),outcome=err == nil ? "ok" : "info",model=kv' cmd/leadline/testdata/logs/durations.log
//	linearizable      depth 1      3 ops   2 procs  c=2  cp=1    2 orders       1 pending  cmd/leadline/testdata/logs/durations.log
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// Columns separated by blanks, without a header:
//
//	$ leadline check --map 'process=c1,type=c2,f=c3,args=c4 == "-" ? nil : c4,result=c4,model=register' cmd/leadline/testdata/logs/columns.txt
//	linearizable      depth 1      2 ops   2 procs  c=2  cp=1    2 orders       cmd/leadline/testdata/logs/columns.txt
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// Events in any order, with stamps:
//
//	$ leadline check --map 'process=thread,type=kind == "call" ? "invoke" : "ok",f=method,args=value,result=value,at=ts,model=stack' cmd/leadline/testdata/logs/shuffled.jsonl
//	linearizable      depth 1      2 ops   2 procs  c=2  cp=1    2 orders       cmd/leadline/testdata/logs/shuffled.jsonl
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// Operations of porcupine as JSON:
//
//	$ leadline check --map 'process=ClientId,f=["get", "put", "append"][Input.Op],args=[Input.Key, Input.Op == 0 ? nil : Input.Value],result=Output.Value,call=Call,return=Return < 0 ? nil : Return,model=kv:""' cmd/leadline/testdata/logs/porcupine.json
//	linearizable      depth 1      3 ops   2 procs  c=2  cp=1    2 orders       1 pending  cmd/leadline/testdata/logs/porcupine.json
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// Fields whose names are not identifiers, stamps in milliseconds, and errors:
//
//	$ leadline check --map 'process=$env["worker-id"],f=action == "acquire" ? "lock" : "unlock",call=ns($env["@timestamp"], "ms"),return=ns($env["@timestamp"], "ms") + ns(took_ms, "ms"),outcome=error == nil ? "ok" : "info",model=mutex' cmd/leadline/testdata/logs/locks.jsonl
//	linearizable      depth 1      4 ops   3 procs  c=2  cp=1    2 orders       1 pending  cmd/leadline/testdata/logs/locks.jsonl
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// The log of a proxy, with requests and responses on separate lines. A response has the
// identifier of its request:
//
//	$ leadline check --map 'read=columns,skip=c2 == "[warn]",process=c3,op=c4,type=c5 == "-->" ? "invoke" : "ok",f=lower(c6[1:]),args=[split(c7, "/")[2], c9 == nil ? nil : int(split(c9, "=")[1])],result=c6 == 404 ? nil : c7,model=kv' cmd/leadline/testdata/logs/access.log
//	linearizable      depth 1      3 ops   2 procs  c=2  cp=1    2 orders       cmd/leadline/testdata/logs/access.log
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// The console of zap, with tabs and an object in JSON at the end:
//
//	$ leadline check --map 'read=tsv,header=no,skip=c5 == nil,process=c5.conn,type=c4 endsWith "begin" ? "invoke" : "ok",f=split(c4, " ")[0],args=[c5.key, c5.val],result=c5?.val,model=kv' cmd/leadline/testdata/logs/zap.log
//	linearizable      depth 1      2 ops   2 procs  c=2  cp=1    2 orders       cmd/leadline/testdata/logs/zap.log
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// PostgreSQL's log in CSV, without a header. A line has the time of the end, and how long
// the statement took, in milliseconds:
//
//	$ leadline check --map 'read=csv,header=no,process=c4,f=c10 contains "unlock" ? "unlock" : "lock",call=c1 - ns(split(c10, " ")[1], "ms"),return=c1,model=mutex' cmd/leadline/testdata/logs/postgres.csv
//	linearizable      depth 1      3 ops   2 procs  c=2  cp=1    2 orders       cmd/leadline/testdata/logs/postgres.csv
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// Spans of OpenTelemetry in batches. The name of the client is in the object around them:
//
//	$ leadline check --map 'records=resourceSpans.scopeSpans.spans,process=find(resource.attributes, .key == "client").value.intValue,f=name[3:],args=[find(attributes, .key == "key").value.stringValue, name == "kv.put" ? find(attributes, .key == "value").value.intValue : nil],result=find(attributes, .key == "value")?.value.intValue,call=startTimeUnixNano,return=endTimeUnixNano,outcome=status.code == 2 ? "info" : "ok",model=kv' cmd/leadline/testdata/logs/spans.jsonl
//	linearizable      depth 1      3 ops   2 procs  c=2  cp=1    2 orders       1 pending  cmd/leadline/testdata/logs/spans.jsonl
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// A list inside of an object, over many lines, with dates and durations:
//
//	$ leadline check --map 'records=operations,process=client,f=op,args=args,result=result,call=startedAt,return=startedAt + ns(tookMs, "ms"),model=kv' cmd/leadline/testdata/logs/pretty.json
//	linearizable      depth 1      2 ops   2 procs  c=2  cp=1    2 orders       cmd/leadline/testdata/logs/pretty.json
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// Text of any form. $text is the line:
//
//	$ leadline check --map 'skip=$text == "heartbeat",process=split($text, " ")[2],type=$text contains "done" ? "ok" : "invoke",f=split($text, " ")[3],args=[split($text, " ")[4], $text contains "put" ? int(split($text, " ")[5]) : nil],result=$text contains "," ? int(last(split($text, " "))) : nil,model=kv' cmd/leadline/testdata/logs/plain.txt
//	linearizable      depth 1      2 ops   2 procs  c=2  cp=1    2 orders       cmd/leadline/testdata/logs/plain.txt
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// A fault has the line of the record, the expression and its value:
//
//	$ leadline check --map process=client,type=phase,f=verb cmd/leadline/testdata/logs/events.jsonl
//	cmd/leadline/testdata/logs/events.jsonl:1: type = phase is "start", and should be "invoke", "ok", "fail", "info" or "crash"; and 3 more like it
//	cmd/leadline/testdata/logs/events.jsonl:2: type = phase is nil, and should be "invoke", "ok", "fail", "info" or "crash"
//	invalid           cmd/leadline/testdata/logs/events.jsonl
//	1 history: 0 linearizable, 0 not linearizable, 0 unknown, 1 invalid
//
// Where no record has a field that is needed, the order of the lines contradicts a field that looks
// like a stamp, or several fields look like stamps, leadline refuses the file and says what to write.
package main
