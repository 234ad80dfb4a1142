package etcd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
)

// recordOf returns the record of a request from 10 to 20, with its input and its output.
func recordOf(input, output string) string {
	return fmt.Sprintf(`{"ClientId":7,"Input":%s,"Call":10,"Output":%s,"Return":20}`, input, output)
}

// txn returns the input of a transaction with the steps of its two branches.
func txn(success, failure string) string {
	return `{"Type":"txn","Txn":{"OperationsOnSuccess":[` + success + `],"OperationsOnFailure":[` + failure + `]}}`
}

// txnOutput returns the output of a transaction whose first branch was taken.
func txnOutput(results string) string { return `{"Txn":{"Failure":false,"Results":[` + results + `]}}` }

// rangeOf returns the input of a range, from the members of its Range.
func rangeOf(members string) string { return `{"Type":"range","Range":{` + members + `}}` }

// kvsOutput returns the output of a range that found what kvs lists.
func kvsOutput(kvs string) string { return `{"Range":{"KVs":[` + kvs + `]}}` }

// reportOf returns the operations of reports, or their faults, one a line.
func reportOf(text string, lim decode.Limits) string {
	var lines []string
	for h, err := range Report.Decode(strings.NewReader(text), "in", lim) {
		if err != nil {
			lines = append(lines, err.Error())
			continue
		}
		for i := range h.Ops {
			op := &h.Ops[i]
			lines = append(lines, fmt.Sprintf("%v %v", h.Processes[op.Process], op))
		}
	}
	return strings.Join(lines, "\n")
}

// Steps of transactions, and their results.
const (
	putA    = `{"Type":"put-operation","Put":{"Key":"a","Value":{"Value":"1","Hash":0},"LeaseID":0}}`
	deleteA = `{"Type":"delete-operation","Delete":{"Key":"a"}}`
	readA   = `{"Type":"range-operation","Range":{"Start":"a","End":"","Limit":0}}`
	atA     = `{"Type":"range-operation","Range":{"Start":"a","Revision":5}}`
	hasA    = `{"KVs":[{"Key":"a","Value":{"Value":"1","Hash":0},"ModRevision":3}],"Count":1}`
)

func TestEtcdReportOperations(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"put", recordOf(txn(putA, ""), txnOutput("{}")), `7 put("a", "1"): null`},
		{"delete", recordOf(txn(deleteA, ""), txnOutput("{}")), `7 delete("a"): [null, null]`},
		{"read in a transaction", recordOf(txn(readA, ""), txnOutput(hasA)), `7 get("a"): [[["a", "1", 3, null]], 1, null]`},
		{"read of a missing key", recordOf(rangeOf(`"Start":"a"`), `{"Range":{"KVs":null}}`), `7 get("a"): [[], null, null]`},
		{"several keys", recordOf(rangeOf(`"Start":"a","End":"c"`), kvsOutput(`{"Key":"b","Value":"1"},{"Key":"a","Value":"2"}`)),
			`7 range("a", "c", 0): [[["b", "1", null, null], ["a", "2", null, null]], null, null]`},
		{"all keys from one on", recordOf(rangeOf(`"Start":"a","End":"\u0000"`), kvsOutput(`{"Key":"z","Value":"1"}`)), `7 range("a", "\x00", 0): [[["z", "1", null, null]], null, null]`},
		{"several keys, none found", recordOf(rangeOf(`"Start":"a","End":"c"`), kvsOutput("")), `7 range("a", "c", 0): [[], null, null]`},
		{"second branch", recordOf(txn(putA, deleteA+","+readA), `{"Txn":{"Failure":true,"Results":[{},{}]}}`),
			`7 txn([], [["put", "a", "1"]], [["delete", "a"], ["get", "a"]]): [false, [null, [[], null]], null]`},
		{"no steps", recordOf(`{"Type":"txn","Txn":{}}`, `{"Txn":{}}`), `7 txn([], [], []): [true, [], null]`},
		{"text for a client", strings.Replace(recordOf(txn("", ""), txnOutput("")), "7", `"c"`, 1), `"c" txn([], [], []): [true, [], null]`},
		{"list", "[" + recordOf(txn("", ""), txnOutput("")) + "]", `7 txn([], [], []): [true, [], null]`},
		{"comment and other members", "# a comment\n" + strings.Replace(recordOf(txn("", ""), txnOutput("")), "{", `{"Note":[1,{}],`, 1), `7 txn([], [], []): [true, [], null]`},
		{"conditions", recordOf(`{"Type":"txn","Txn":{"Conditions":[{"Key":"a","ExpectedRevision":3},{"Key":"b","ExpectedVersion":2}],"OperationsOnSuccess":[`+putA+`]}}`, `{"Txn":{"Results":[{}]},"Revision":4}`),
			`7 txn([["mod", "a", 3], ["version", "b", 2]], [["put", "a", "1"]], []): [true, [null], 4]`},
		{"failure without a condition", recordOf(txn(putA, ""), `{"Txn":{"Failure":true},"Revision":4}`), `7 txn([], [["put", "a", "1"]], []): [false, [], 4]`},
		{"deleted", recordOf(txn(deleteA, ""), `{"Txn":{"Results":[{"Deleted":1}]},"Revision":4}`), `7 delete("a"): [1, 4]`},
		{"limit", recordOf(rangeOf(`"Start":"a","End":"c","Limit":2`), `{"Range":{"KVs":[],"Count":5},"Revision":4}`), `7 range("a", "c", 2): [[], 5, 4]`},
		{"keys only", recordOf(rangeOf(`"Start":"a","End":"c","KeysOnly":true`), `{"Range":{"KVs":[{"Key":"b","Value":{},"ModRevision":2,"Version":1}],"Count":1},"Revision":4}`),
			`7 keys("a", "c", 0): [[["b", null, 2, 1]], 1, 4]`},
		{"lease", recordOf(txn(strings.Replace(putA, `"LeaseID":0`, `"LeaseID":4`, 1), ""), `{"Txn":{"Results":[{}]},"Revision":4}`), `7 put("a", "1", 4): 4`},
		{"grant", recordOf(`{"Type":"leaseGrant","LeaseGrant":{"LeaseID":4}}`, `{"LeaseGrant":{"LeaseID":0},"Revision":4}`), `7 leaseGrant(4): 4`},
		{"revoke", recordOf(`{"Type":"leaseRevoke","LeaseRevoke":{"LeaseID":4}}`, `{"LeaseRevoke":{},"Revision":4}`), `7 leaseRevoke(4): 4`},
		// The value of a key.
		{"empty value", recordOf(rangeOf(`"Start":"a"`), kvsOutput(`{"Key":"a","Value":{}}`)), `7 get("a"): [[["a", "", null, null]], null, null]`},
		{"hash", recordOf(rangeOf(`"Start":"a"`), kvsOutput(`{"Key":"a","Value":{"Value":"","Hash":9}}`)), `7 get("a"): [[["a", 9, null, null]], null, null]`},
		{"more than 64 bits", recordOf(rangeOf(`"Start":"a"`), kvsOutput(`{"Key":"a","Value":18446744073709551616}`)), `7 get("a"): [[["a", "18446744073709551616", null, null]], null, null]`},
		{"float", recordOf(rangeOf(`"Start":"a"`), kvsOutput(`{"Key":"a","Value":1.50}`)), `7 get("a"): [[["a", 1.5, null, null]], null, null]`},
		{"list and object", recordOf(rangeOf(`"Start":"a"`), kvsOutput(`{"Key":"a","Value":{"Value":[{"y":[],"x":null}]}}`)), `7 get("a"): [[["a", [{"x": null, "y": []}], null, null]], null, null]`},
		// Unknown outcomes.
		{"no return", `{"ClientId":7,"Input":` + txn(putA, "") + `,"Call":10}`, `7 put("a", "1"): pending`},
		{"negative return", strings.Replace(recordOf(txn(putA, ""), "null"), "20", "-1", 1), `7 put("a", "1"): pending`},
		{"error", recordOf(txn(putA+","+readA, readA), `{"Error":"timeout"}`), `7 txn([], [["put", "a", "1"], ["get", "a"]], [["get", "a"]]): pending`},
		{"partial response", recordOf(txn(putA, ""), `{"PartialResponse":true}`), `7 put("a", "1"): pending`},
		{"persisted", recordOf(txn(putA, ""), `{"Persisted":true}`), `7 put("a", "1"): pending`},
		{"persisted at a revision", recordOf(txn(putA, ""), `{"Persisted":true,"PersistedRevision":4}`), `7 persisted([], [["put", "a", "1"]], []): 4`},
		{"persisted at a revision, no return", strings.Replace(recordOf(txn(putA, ""), `{"Persisted":true,"PersistedRevision":4}`), "20", "-1", 1), `7 put("a", "1"): pending`},
		{"error of a client", recordOf(txn(putA, ""), `{"ClientError":"compacted"}`), `7 put("a", "1"): pending`},
		{"lost revoke", recordOf(`{"Type":"leaseRevoke","LeaseRevoke":{"LeaseID":4}}`, `{"Error":"timeout"}`), `7 leaseRevoke(4): pending`},
		{"lost grant", recordOf(`{"Type":"leaseGrant","LeaseGrant":{"LeaseID":4}}`, `{"Error":"timeout"}`), `7 leaseGrant(4): pending`},
		{"lost range", recordOf(rangeOf(`"Start":"a"`), `{"Error":"timeout"}`), `7 get("a"): pending`},
		{"no error", recordOf(txn("", ""), `{"Error":"","PartialResponse":false,"Persisted":null,"Txn":{}}`), `7 txn([], [], []): [true, [], null]`},
	} {
		if got := reportOf(test.in, decode.Limits{}); got != test.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", test.name, test.in, got, test.want)
		}
	}
}

// TestEtcdReportLeftOut: some requests neither change nor read the current values. No member of
// theirs counts.
func TestEtcdReportLeftOut(t *testing.T) {
	whole := recordOf(txn(deleteA, ""), `{"Txn":{"Results":[{"Deleted":0}]},"Revision":1}`)
	for _, test := range []struct{ input, warning string }{
		{`{"Type":"leaseGrant"}`, ""},
		{`{"Type":"defragment"}`, "not used: 2 defragmentations"},
		{`{"Type":"compact"}`, "not used: 2 compactions"},
		{rangeOf(`"Revision":5`), "not used: 2 reads at an older revision"},
	} {
		left := `{"Input":` + test.input + `}`
		if got, want := reportOf(left+"\n"+whole+"\n"+left, decode.Limits{}), `7 delete("a"): [0, 1]`; got != want {
			t.Errorf("%s: got %s, want %s", test.input, got, want)
		}
		if got, want := headerOf(t, left+whole+left), `etcd[]; `+test.warning; got != want {
			t.Errorf("%s: got %s, want %s", test.input, got, want)
		}
		if got, want := reportOf(left, decode.Limits{}), "in:1: history has no events"; got != want {
			t.Errorf("%s alone: got %s, want %s", test.input, got, want)
		}
	}
}

// headerOf returns the model of a report, with its arguments, and its warning.
func headerOf(t *testing.T, text string) string {
	for h, err := range Report.Decode(strings.NewReader(text), "in", decode.Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s%v; %s", h.Model, h.ModelArgs, h.Warning)
	}
	return ""
}

// TestEtcdReportHeader: the argument of the model is what all responses lack. It is a fault if some
// responses lack it.
func TestEtcdReportHeader(t *testing.T) {
	get := func(output string) string { return recordOf(rangeOf(`"Start":"a"`), output) }
	for _, test := range []struct{ in, want string }{
		{get(`{"Range":{"KVs":[],"Count":0},"Revision":1}`), "etcd[]; "},
		{get(`{"Range":{"KVs":[],"Count":0}}`), `etcd[["revision"]]; `},
		{get(`{"Range":{"KVs":[{"Key":"a","Value":"1"}]},"Revision":1}`), `etcd[["mod", "version", "count"]]; `},
		{recordOf(txn(deleteA, ""), txnOutput("{}")), `etcd[["revision", "deleted"]]; `},
		{get(`{"Error":"timeout"}`), "etcd[]; "},
		{`{"Input":{"Type":"compact"}}{"Input":{"Type":"defragment"}}` + get(`{"Error":"timeout"}`) + `{"Input":{"Type":"compact"}}`, "etcd[]; not used: 2 compactions, 1 defragmentation"},
	} {
		if got := headerOf(t, test.in); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.in, got, test.want)
		}
	}
	with, without := get(`{"Range":{"KVs":[],"Count":0},"Revision":1}`), get(`{"Range":{"KVs":[],"Count":0}}`)
	for _, text := range []string{with + "\n" + without, without + "\n" + with} {
		if got, want := reportOf(text, decode.Limits{}), "in:2: some responses have Revision, and others do not"; got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func TestEtcdReportFaults(t *testing.T) {
	readOf := func(kvs string) string { return recordOf(rangeOf(`"Start":"a","End":"c"`), kvsOutput(kvs)) }
	for _, test := range []struct{ in, want string }{
		// The record.
		{`{"ClientId":1,"Input":{"Op":0},"Call":1}`, otherRecord},
		{`{"Input":` + txn("", "") + `,"Call":1}`, "ClientId is missing, int or string expected"},
		{`{"ClientId":1,"Input":` + txn("", "") + `}`, "Call is missing, int expected"},
		{`{"ClientId":1,"Input":` + txn("", "") + `,"Call":1,"Return":"2"}`, `Return is "2", int expected`},
		{strings.Replace(recordOf(txn("", ""), txnOutput("")), "20", "9", 1), "Return is 9, less than Call, which is 10"},
		{recordOf(`{"Type":"snapshot"}`, "null"), "an unknown type of request: snapshot"},
		// The output.
		{recordOf(txn("", ""), "5"), "Output is 5, map expected"},
		{recordOf(txn("", ""), "null"), "Output.Txn is missing, map expected"},
		{recordOf(txn("", ""), `{"Error":0}`), "Output.Error is 0, string expected"},
		{recordOf(rangeOf(`"Start":"a"`), "{}"), "the result of a range is missing, map expected"},
		{recordOf(txn(putA, ""), txnOutput("")), "OperationsOnSuccess has 1 operations, and Results 0 results"},
		{recordOf(txn(readA, ""), txnOutput("null")), "the result of a range is null, map expected"},
		// Steps.
		{recordOf(`{"Type":"txn"}`, txnOutput("")), "Input.Txn is missing, map expected"},
		{recordOf(txn(`{"Type":"fetch"}`, ""), txnOutput("{}")), `an unknown type of operation: "fetch"`},
		{recordOf(txn(`{"Type":"put-operation"}`, ""), txnOutput("{}")), "Put.Key is missing, string expected"},
		{recordOf(txn(`{"Type":"put-operation","Put":{"Key":"a"}}`, ""), txnOutput("{}")), `the key "a" has no value`},
		{recordOf(txn(`{"Type":"delete-operation","Delete":{}}`, ""), txnOutput("{}")), "Delete.Key is missing, string expected"},
		{recordOf(txn(atA, ""), txnOutput("{}")), "a read at an older revision in a transaction"},
		{recordOf(`{"Type":"txn","Txn":{"Conditions":[{"ExpectedRevision":2}]}}`, txnOutput("")), "Key is missing, string expected"},
		{recordOf(`{"Type":"leaseRevoke"}`, "{}"), "Input.LeaseRevoke.LeaseID is missing, int expected"},
		{recordOf(`{"Type":"leaseGrant"}`, "{}"), "Input.LeaseGrant.LeaseID is missing, int expected"},
		// Ranges.
		{recordOf(rangeOf(`"Key":"a"`), kvsOutput("")), "Range.Start is missing, string expected"},
		{recordOf(`{"Type":"range"}`, `{"Error":"timeout"}`), "Range is missing, map expected"},
		{readOf(`{"Key":"b"}`), `the key "b" has no value`},
		{readOf(`7`), "Key is missing, string expected"},
	} {
		first := recordOf(txn("", ""), txnOutput("")) // without a fault
		first = strings.NewReplacer("10", "1", "20", "2").Replace(first)
		if got, want := reportOf(first+"\n"+test.in, decode.Limits{}), "in:2: "+test.want; got != want {
			t.Errorf("%s\ngot  %s\nwant %s", test.in, got, want)
		}
	}
}

// TestEtcdReportEnd: a fault of the syntax and a limit end the stream, after the faults of records
// before.
func TestEtcdReportEnd(t *testing.T) {
	whole, wrong := recordOf(txn("", ""), txnOutput("")), recordOf(`{"Type":"snapshot"}`, "null")
	const unknown = "an unknown type of request: snapshot"
	most := ""
	for i := range history.MaxErrors {
		most += fmt.Sprintf("in:%d: %s\n", i+1, unknown)
	}
	for _, test := range []struct {
		in     string
		limits decode.Limits
		want   string
	}{
		{whole + "\n7", decode.Limits{}, "in:2: unexpected '7', an object expected"},
		{whole + "\n" + whole[:30], decode.Limits{}, "in:2: the file ends inside the object that begins at line 2"},
		{whole + "\n" + strings.Replace(whole, "{", `{"Call":1,`, 1), decode.Limits{}, "in:2: a key occurs twice in one object"},
		{wrong + "\n7\n" + wrong, decode.Limits{}, "in:1: " + unknown + "\nin:2: unexpected '7', an object expected"},
		{strings.Repeat(wrong+"\n", history.MaxErrors+5), decode.Limits{}, most + "too many errors"},
		{whole, decode.Limits{Line: 100}, "in:1: line longer than 100 bytes"},
		{strings.Repeat(whole+"\n", 10), decode.Limits{History: 1000}, "in:7: history larger than 1000 bytes"},
		{strings.Repeat(whole+"\n", 100), decode.Limits{Memory: 4 << 10}, "in:6: the history takes more than 4 KiB of memory"},
	} {
		if got := reportOf(test.in, test.limits); got != test.want {
			t.Errorf("%.300s\ngot  %s\nwant %s", test.in, got, test.want)
		}
	}
}
