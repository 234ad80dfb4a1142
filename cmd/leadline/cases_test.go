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
	for _, test := range []struct{ file, mapping, want string }{
		{"jepsen-file-order-vs-time.edn", "", `"ordered_by":"time",.*"linearizable"`},
		{"jepsen-microops-under-read-write.edn", "", "linearizable"},
		{"jepsen-json.json", "", "not-linearizable"},
		{"jepsen-worker.log", "", "linearizable"},
		{"set-history.txt", "", "linearizable"},
		{"mutex-no-values.json", "", "not-linearizable"},
		{"enq-deq.csv", `process=client,call=call,return=return,f={"ENQ": "enqueue", "DEQ": "dequeue"}[op],args=value,result=output,model=queue`, "not-linearizable"},
		{"stamps-with-units.csv", `process=client_id,call=call_ns,return=return_ns,f=lower(op),args=[key, value],result=output == "NotFound" ? nil : output,model=kv`, "linearizable"},
		{"logs/1-events.jsonl", `skip=level == "debug",process=client,op=req,at=ts,type=phase == "start" ? "invoke" : {"ok": "ok", "timeout": "info"}[outcome] ?? outcome,` +
			`f=method,args=[key, value ?? expect, update],result=result,model=kv`, "linearizable"},
		{"logs/2-ops.csv", `process=who,f=verb,args=[key, arg],result=got,call=ns(begin, "s"),return=ns(finish, "s"),outcome=state == "ok" ? "ok" : "info",model=kv`, "linearizable"},
		{"logs/3-ops.log", `process=client,f=lower(op),args=[key, val],result=ret,call=time,return=time + ns(dur),outcome=err == nil ? "ok" : "info",model=kv`, "linearizable"},
		{"logs/4-nested.json", `process=session.id,f=request.name,args=request.params,result=response?.data,call=timing.sent,return=timing.received ?? 0,` +
			`outcome=response == nil ? "info" : "ok",model=kv`, "linearizable"},
		{"logs/5-tuple.ndjson", `process=p,type=k,f={"r": "get", "w": "put"}[op[0]],args=op[0] == "w" ? [op[1], op[2]] : [op[1]],result=op[2],model=kv`, "linearizable"},
		{"logs/6-access.log", `read=columns,skip=c2 == "[warn]",process=c3,op=c4,type=c5 == "-->" ? "invoke" : "ok",f=lower(c6[1:]),` +
			`args=[split(c7, "/")[2], c9 == nil ? nil : int(split(c9, "=")[1])],result=c6 == 404 ? nil : c7,model=kv`, "linearizable"},
		{"logs/7-zap.log", `read=tsv,header=no,process=c5.conn,type=c4 endsWith "begin" ? "invoke" : "ok",f=split(c4, " ")[0],args=[c5.key, c5.val],result=c5.val,model=kv`, "linearizable"},
		{"logs/8-postgres.csv", `read=csv,header=no,process=c4,f=c14 contains "unlock" ? "unlock" : "lock",call=c1 - ns(split(c14, " ")[1], "ms"),return=c1,model=mutex`, "linearizable"},
		{"logs/9-otlp.jsonl", `records=resourceSpans.scopeSpans.spans,process=find(attributes, .key == "client").value.intValue,f=name[3:],` +
			`args=[find(attributes, .key == "kv.key").value.stringValue, name == "kv.put" ? find(attributes, .key == "kv.value").value.intValue : nil],` +
			`result=find(attributes, .key == "kv.value").value.intValue,call=startTimeUnixNano,return=endTimeUnixNano,model=kv`, "linearizable"},
		{"console-with-report.log", "", "not-linearizable"},
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
