package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSharedCases checks files that went wrong in earlier versions, if they lie beside
// this project.
func TestSharedCases(t *testing.T) {
	const dir = "../../../shared/cases"
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the cases are not there: %v", err)
	}
	const kv = ",void=put,model=kv"
	for _, test := range []struct{ file, mapping, want string }{
		{"jepsen-file-order-vs-time.edn", "", `"ordered_by":"time",.*"linearizable"`},
		{"jepsen-microops-under-read-write.edn", "", "linearizable"},
		{"jepsen-json.json", "", "not-linearizable"},
		{"jepsen-worker.log", "", "linearizable"},
		{"set-history.txt", "", "linearizable"},
		{"mutex-no-values.json", "", "not-linearizable"},
		{"enq-deq.csv", "process=client,call=call,return=return,f=op,rename=ENQ:enqueue|DEQ:dequeue,args=value,result=output,model=queue", "not-linearizable"},
		{"stamps-with-units.csv", "process=client_id,call=call_ns,return=return_ns,f=op,rename=PUT:put|GET:get,args=[key value],result=output,null when output=NotFound" + kv, "linearizable"},
		{"logs/1-events.jsonl", "process=client,op=req,type=phase,at=ts,f=method,args=[key value expect update],result=result,skip when level=debug,ok when outcome=ok,lost when outcome=timeout" + kv, "linearizable"},
		{"logs/2-ops.csv", "process=who,call=begin,return=finish,f=verb,args=[key arg],result=got,ok when state=ok,lost when state=timeout" + kv, "linearizable"},
		{"logs/3-ops.log", "process=client,call=time,duration=dur,stamps=ns,f=op,rename=GET:get|PUT:put,args=[key val],result=ret,lost when err,null when ret=nil" + kv, "linearizable"},
		{"logs/4-nested.json", "process=session.id,call=timing.sent,return=timing.received,f=request.name,args=request.params,result=response.data" + kv, "linearizable"},
		{"logs/5-tuple.ndjson", "process=p,type=k,f=op.0,rename=r:get|w:put,args=[op.1 op.2],result=op.2" + kv, "linearizable"},
	} {
		var stdout, stderr strings.Builder
		args := []string{"check", "-o", "json", "--map", test.mapping, filepath.Join(dir, test.file)}
		if test.mapping == "" {
			args = append(args[:3], args[5:]...)
		}
		run(args, strings.NewReader(""), &stdout, &stderr)
		by, verdict, _ := strings.Cut(test.want, ",.*")
		if verdict == "" {
			by, verdict = "", `"`+test.want+`"`
		}
		if !strings.Contains(stdout.String(), by) || !strings.Contains(stdout.String(), `"verdict":`+verdict) {
			t.Errorf("%s: want %s, got\n%s%s", test.file, test.want, stdout.String(), stderr.String())
		}
	}
}
