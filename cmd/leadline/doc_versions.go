// # From etcd, MIT's labs, S2, openraft, and after a crash
//
// Storage systems record more than results: a revision, the version of a key, the index in a
// log, a fencing token. An operation with a smaller one takes effect first. This often shows a violation
// without a search, as two operations that contradict each other, and leaves a search
// little to try: a history of etcd by 50 clients takes as long as one by 8.
//
// The client reports of etcd's robustness tests are read as they are, by the model etcd. Its revisions
// are in each response. All files of one run are one history: cat them.
//
//	$ leadline check cmd/leadline/testdata/storage/etcd.json
//	not-linearizable  -            3 ops   2 procs  c=1  cp=0    1 order        cmd/leadline/testdata/storage/etcd.json
//	    get("a"): [[["a", "1", 2, 1]], 1, 2] (line 3) has version 2, but was invoked after the response of put("a", "2"): 3 (line 2), which has version 3
//	    not linearizable by themselves: 2 of 3 operations
//	    more: leadline explain cmd/leadline/testdata/storage/etcd.json
//	1 history: 0 linearizable, 1 not linearizable, 0 unknown, 0 invalid
//
// A key has one value from its mod revision to each revision at which it is read. What another operation
// shows of it in between, such as a range that misses it, contradicts that.
//
// What is not used of a report, such as compactions, is a warning.
//
// The key-value server of MIT 6.5840 has versions of keys: the model versioned-kv. Its operations as
// porcupine's JSON has them need a mapping, and ErrMaybe is an unknown result:
//
//	$ leadline check --map @cmd/leadline/testdata/storage/kvsrv.map cmd/leadline/testdata/storage/kvsrv.jsonl
//	linearizable      depth 1      4 ops   3 procs  c=2  cp=1    2 orders       cmd/leadline/testdata/storage/kvsrv.jsonl
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// with this kvsrv.map:
//
//	process = ClientId
//	call = Call
//	return = Return
//	f = Input.Op == 0 ? "get" : "put"
//	args = Input.Op == 0 ? [Input.Key] : [Input.Key, Input.Value, Input.Version]
//	result = Output.Err == "ErrMaybe" ? unknown()
//	  : Input.Op == 0 ? (Output.Err == "ErrNoKey" ? nil : [Output.Value, Output.Version])
//	  : {"OK": "ok", "ErrVersion": "version", "ErrNoKey": "no-key"}[Output.Err] ?? refuse("an unknown error")
//	model = versioned-kv
//
// A replicated log, as of openraft, S2 or Kafka, returns the index of what was appended: the
// model log. Two entries got one index here:
//
//	$ leadline check --map 'process=node,f=what,args=what == "read" ? index : entry' --map 'result=what == "read" ? entry : index,call=begin,return=end' --model log cmd/leadline/testdata/storage/log.csv
//	not-linearizable  -            4 ops   3 procs  c=2  cp=1    2 orders       cmd/leadline/testdata/storage/log.csv
//	    append("b"): 1 (line 3) and append("c"): 1 (line 4) both made version 1
//	    not linearizable by themselves: the first 6 of 8 events; 2 of 4 operations
//	    more: leadline explain --map='process=node,f=what,args=what == "read" ? index : entry' --map='result=what == "read" ? entry : index,call=begin,return=end' --model=log cmd/leadline/testdata/storage/log.csv
//	1 history: 0 linearizable, 1 not linearizable, 0 unknown, 0 invalid
//
// Other objects record a version beside the result: version=EXPRESSION in a mapping, "version" in
// the native format, Process.ReturnVersion of the recorder, porcupine.Versions for porcupine's
// users. In models with keys, such as kv, each key has its own versions.
//
// After a crash, the outcome of open operations is unknown. A record of type crash ends them,
// and --durability, or the same word in the mapping or the header, says how: strict, if each took
// effect before the crash or never, and durable, if it may also do so later. Here the second put was
// open, was lost, and came back:
//
//	$ leadline check --explain=false --durability strict --map 'process=client,type=event,f=op,args=[key, op == "put" ? value : nil],result=value' --model kv cmd/leadline/testdata/storage/crash.log
//	not-linearizable  -            4 ops   2 procs  c=1  cp=0    1 order        cmd/leadline/testdata/storage/crash.log
//	1 history: 0 linearizable, 1 not linearizable, 0 unknown, 0 invalid
//
// It is allowed if the store is only to be durable:
//
//	$ leadline check --explain=false --durability durable --map 'process=client,type=event,f=op,args=[key, op == "put" ? value : nil],result=value' --model kv cmd/leadline/testdata/storage/crash.log
//	linearizable      depth 2      4 ops   2 procs  c=2  cp=2    3 orders       1 pending  cmd/leadline/testdata/storage/crash.log
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// A recorder notes a crash by Recorder.Crash.
package main
