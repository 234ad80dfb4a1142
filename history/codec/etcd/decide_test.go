package etcd_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/etcd"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

// sixRequests is a report of two clients: puts, a read, a transaction with a condition, a delete
// that reports no success, and a read while it is open.
//
//	1  |-- put a=x: 2 --|     |-- if mod(a)=2 then a=y: 3 --|   |------- delete a: error -------|
//	2          |-- put b=x: ? --|         |-- get a: y at 3 --|         |-- get a: none at 4 --|
const sixRequests = `
{"ClientId":1,"Input":{"Type":"txn","Txn":{"OperationsOnSuccess":[{"Type":"put-operation","Put":{"Key":"a","Value":{"Value":"x"}}}]}},"Call":10,"Output":{"Txn":{"Results":[{}]},"Revision":2},"Return":20}
{"ClientId":1,"Input":{"Type":"txn","Txn":{"Conditions":[{"Key":"a","ExpectedRevision":2}],"OperationsOnSuccess":[{"Type":"put-operation","Put":{"Key":"a","Value":{"Value":"y"}}}]}},"Call":30,"Output":{"Txn":{"Results":[{}]},"Revision":3},"Return":40}
{"ClientId":1,"Input":{"Type":"txn","Txn":{"OperationsOnSuccess":[{"Type":"delete-operation","Delete":{"Key":"a"}}]}},"Call":50,"Output":{"Error":"timeout"},"Return":60}
{"ClientId":2,"Input":{"Type":"txn","Txn":{"OperationsOnSuccess":[{"Type":"put-operation","Put":{"Key":"b","Value":{"Value":"x"}}}]}},"Call":15,"Output":{"Error":"timeout"},"Return":25}
{"ClientId":2,"Input":{"Type":"range","Range":{"Start":"a"}},"Call":35,"Output":{"Range":{"KVs":[{"Key":"a","Value":{"Value":"y"},"ModRevision":3,"Version":2}],"Count":1},"Revision":3},"Return":45}
{"ClientId":2,"Input":{"Type":"range","Range":{"Start":"a"}},"Call":55,"Output":{"Range":{"KVs":[],"Count":0},"Revision":4},"Return":65}
`

// check decides a report.
func check(t *testing.T, text string) (*history.History, replay.Verdict) {
	t.Helper()
	for h, err := range etcd.Report.Decode(strings.NewReader(text), "in", decode.Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		s, err := spec.Lookup(h.Model, h.ModelArgs)
		if err != nil {
			t.Fatal(err)
		}
		v, err := decide.Check(t.Context(), h, s, replay.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return h, v
	}
	t.Fatal("no history")
	return nil, replay.Verdict{}
}

// TestEtcdReportVerdicts decides reports of six requests. What a report lacks is not checked, and
// nothing else.
func TestEtcdReportVerdicts(t *testing.T) {
	without := strings.NewReplacer(`,"Revision":2`, "", `,"Revision":3`, "", `,"Revision":4`, "", `,"ModRevision":3`, "", `,"Version":2`, "", `,"Count":1`, "", `,"Count":0`, "")
	for _, test := range []struct {
		name, old, new string
		want           replay.Answer
	}{
		{"as it is", "", "", replay.Linearizable},
		{"another revision of a key", `"ModRevision":3`, `"ModRevision":2`, replay.NotLinearizable},
		{"another version of a key", `"Version":2`, `"Version":1`, replay.NotLinearizable},
		{"another number of keys", `"Count":1`, `"Count":2`, replay.NotLinearizable},
		{"a revision that is too large", `"Count":0},"Revision":4`, `"Count":0},"Revision":6`, replay.NotLinearizable},
		{"both lost requests took effect", `"Count":0},"Revision":4`, `"Count":0},"Revision":5`, replay.Linearizable},
		{"the condition does not hold", `"ExpectedRevision":2`, `"ExpectedRevision":1`, replay.NotLinearizable},
		{"a key that nobody put", `"Start":"a"}},"Call":35`, `"Start":"c"}},"Call":35`, replay.NotLinearizable},
	} {
		text := strings.Replace(sixRequests, test.old, test.new, 1)
		if _, v := check(t, text); v.Answer != test.want {
			t.Errorf("%s: %v, want %v", test.name, v.Answer, test.want)
		}
	}
	if h, v := check(t, without.Replace(sixRequests)); v.Answer != replay.Linearizable || len(h.ModelArgs) != 1 {
		t.Errorf("without revisions: %v for %s %v", v.Answer, h.Model, h.ModelArgs)
	}
	wrong := strings.Replace(without.Replace(sixRequests), `"KVs":[{"Key":"a","Value":{"Value":"y"}}]`, `"KVs":[{"Key":"a","Value":{"Value":"z"}}]`, 1)
	if _, v := check(t, wrong); v.Answer != replay.NotLinearizable {
		t.Errorf("without revisions, and a value that nobody wrote: %v", v.Answer)
	}
}

// TestEtcdReportStaleRead: the last read has a smaller revision than an operation that returned
// before it was invoked, so the two contradict each other.
func TestEtcdReportStaleRead(t *testing.T) {
	stale := strings.Replace(sixRequests, `"KVs":[],"Count":0},"Revision":4`, `"KVs":[{"Key":"a","Value":{"Value":"x"},"ModRevision":2,"Version":1}],"Count":1},"Revision":2`, 1)
	h, v := check(t, stale)
	if v.Answer != replay.NotLinearizable || len(v.Conflict) != 2 || v.Versions == "" {
		t.Fatalf("%v, conflict %v, versions %q", v.Answer, v.Conflict, v.Versions)
	}
	var lines []int32
	for _, op := range v.Conflict {
		lines = append(lines, h.Ops[op].Line)
	}
	if want := []int32{6, 7}; !slices.Equal(lines, want) {
		t.Errorf("a conflict of lines %d, want %d: %s", lines, want, v.Versions)
	}
}
