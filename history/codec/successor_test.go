package codec

import (
	"strings"
	"testing"
)

// TestSuccessors: in every format that names clients, one that goes on after an unknown
// outcome is a new process.
func TestSuccessors(t *testing.T) {
	for name, test := range map[string]struct{ in, mapping string }{
		"native": {`{"leadline":1,"model":"register"}
{"process":3,"type":"invoke","method":"write","args":[1]}
{"process":3,"type":"info"}
{"process":3,"type":"invoke","method":"read"}
{"process":3,"type":"ok","result":1}
`, ""},
		"native, stamps": {`{"leadline":1,"model":"register","order":"stamp"}
{"process":3,"op":2,"at":3,"type":"invoke","method":"read"}
{"process":3,"op":2,"at":4,"type":"ok","result":1}
{"process":3,"op":1,"at":1,"type":"invoke","method":"write","args":[1]}
{"process":3,"op":1,"at":2,"type":"info"}
`, ""},
		"jepsen": {`{:process 3, :type :invoke, :f :write, :value 1}
{:process 3, :type :info, :f :write, :value 1, :error :timeout}
{:process 3, :type :invoke, :f :read, :value nil}
{:process 3, :type :ok, :f :read, :value 1}
`, ""},
		"kv": {`{:process 3, :type :invoke, :f :put, :key "k", :value "1"}
{:process 3, :type :info, :f :put, :key "k", :value "1"}
{:process 3, :type :invoke, :f :get, :key "k", :value nil}
{:process 3, :type :ok, :f :get, :key "k", :value "1"}
`, ""},
		"etcd": {"INFO jepsen.util - 3 :invoke :write 1\nINFO jepsen.util - 3 :info :write :timed-out\n" +
			"INFO jepsen.util - 3 :invoke :read nil\nINFO jepsen.util - 3 :ok :read 1\n", ""},
		"etcd's reports": {`{"ClientId":3,"Input":{"Type":"range","Range":{"Start":"k","End":""}},"Call":1,"Output":{"Error":"timeout"},"Return":2}
{"ClientId":3,"Input":{"Type":"range","Range":{"Start":"k","End":""}},"Call":5,"Output":{"Range":{"KVs":[]}},"Return":7}
`, ""},
		"starts and finishes": {`{"event":{"Start":{"write":[1]}},"client_id":3,"op_id":0}
{"event":{"Finish":"Timeout"},"client_id":3,"op_id":0}
{"event":{"Start":"read"},"client_id":3,"op_id":1}
{"event":{"Finish":{"Ok":1}},"client_id":3,"op_id":1}
`, ""},
		"mapped events": {`{"c":3,"t":"call","f":"write","a":1}
{"c":3,"t":"end","s":"timeout"}
{"c":3,"t":"call","f":"read"}
{"c":3,"t":"end","s":"ok","r":1}
`, `process=c,type=t == "call" ? "invoke" : s == "timeout" ? "info" : s,f=f,args=a,result=r`},
		"mapped values": {`{"c":3,"t":"invoke","f":"write","v":1}
{"c":3,"t":"info","f":"write"}
{"c":3,"t":"invoke","f":"read"}
{"c":3,"t":"ok","f":"read","v":1}
`, "process=c,type=t,f=f,args=v,result=v"},
		"mapped values with stamps": {"c,from,to,f,v\n3,1,,write,1\n3,5,6,read,1\n", "process=c,call=from,return=to,f=f,args=v,result=v"},
		"CSV":                       {"c,from,to,f,a,r\n3,1,,write,1,\n3,5,6,read,,1\n", "process=c,call=from,return=to,f=f,args=a,result=r"},
		"CSV, status":               {"c,from,to,f,a,r,s\n3,1,4,write,1,,lost\n3,5,6,read,,1,ok\n", `process=c,call=from,return=to,f=f,args=a,result=r,outcome=s == "lost" ? "info" : s`},
		"logfmt":                    {"c=3 t=call f=write a=1\nc=3 t=timeout\nc=3 t=call f=read\nc=3 t=ok r=1\n", `process=c,type={"call": "invoke", "timeout": "info"}[t] ?? t,f=f,args=a,result=r`},
	} {
		n := 0
		for h, err := range Decode(strings.NewReader(test.in), "in", Options{Map: test.mapping}) {
			if n++; err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if len(h.Ops) != 2 || !h.Ops[0].Pending() || h.Ops[1].Pending() || len(h.Processes) != 2 || h.Processes[1].Text() != "3#2" {
				t.Errorf("%s: %v, processes %v", name, h.Ops, h.Processes)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d histories", name, n)
		}
	}
}
