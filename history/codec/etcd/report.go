// Package etcd reads client reports of etcd's robustness tests: an object for each request
// with its response. Their model is etcd; see package spec. Each response is checked with its
// revision, also ranges, conditions and both branches of transactions, and leases.
//
//   - A transaction of one put, delete or range, without conditions, is the method of that name.
//   - A request that failed or did not return, or whose response is not whole, stays pending. If it
//     is known to have persisted at a revision, it is the method persisted, which returned that.
//   - A grant of a lease without its number, which nobody can use, is left out.
//   - Reads at an older revision, compactions and defragmentations are left out, since they
//     neither change nor read the current values. The warning of the history counts them.
//   - What all responses of a report lack, such as the revision, is not checked: it is null, and
//     an argument of the model. It is a fault if only some of them lack it.
//
// The record
//
//	{"ClientId":1, "Input":{"Type":"range","Range":{"Start":"k"}}, "Call":5,
//	 "Output":{"Range":{"KVs":[{"Key":"k","Value":{"Value":"v"},"ModRevision":2,"Version":1}],"Count":1},"Revision":3}, "Return":9}
//
// is the operation get("k") of process 1, with the result [[["k","v",2,1]], 1, 3].
package etcd

import (
	"fmt"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// Report is the format of client reports. A run has one file for each client.
var Report = decode.Format{
	Name:        ReportName,
	Description: "client reports of etcd's robustness tests, in JSON",
	Single:      true,
	Sniff:       decode.SniffKeys("ClientId", "Input", "Call"),
	Open: func(s *decode.Stream) decode.Reader {
		objects := s.Objects()
		objects.Comments = true
		return &report{stream: s, objects: objects, scan: scan.Scanner{Pool: new(scan.Pool), Wide: true}}
	},
}

// ReportName is the name of the format Report.
const ReportName = "etcd-report"

// A fact is a number that the responses of a report have, or lack.
type fact int

const (
	revisionFact fact = iota
	modFact
	versionFact
	countFact
	deletedFact
)

// factNames has the names of facts in the argument of the model.
var factNames = [...]string{"revision", "mod", "version", "count", "deleted"}

// A report reads one stream, which is one history.
//
// Its methods from request on read the current record. They note its first fault and go on, so that
// only operation needs to know whether there is one.
type report struct {
	stream  *decode.Stream
	objects *decode.ObjectReader
	scan    scan.Scanner    // of the record; the next one overwrites its values
	b       *decode.History // nil before the first record
	count   int             // operations so far

	has, lacks                                [len(factNames)]bool // whether responses so far have, or lack, a fact
	olderReads, compactions, defragmentations int                  // records that are left out

	record history.Value // the current one, an object
	fault  string        // of record
}

// Next implements decode.Reader.
func (d *report) Next() (line int, err error) {
	text, line, err := d.objects.Next()
	if err != nil {
		return line, err
	}
	d.scan.Reset(text)
	d.scan.Pool.Recycle()
	if d.record = d.scan.Value(false); !d.scan.End() {
		return line, decode.Fault(d.scan.Fault)
	}
	if d.b == nil {
		d.b = d.stream.Begin(history.Header{Line: line, Model: "etcd", Order: history.StampOrder})
		d.b.Finish = d.finish
	}
	if d.b.Failed() {
		return line, nil
	}
	d.fault = ""
	d.request(line)
	if d.fault != "" {
		d.b.Errorf(line, "%s", d.fault)
	}
	return line, nil
}

// finish sets what is known at the end of the report: the argument of the model, and the warning.
func (d *report) finish() {
	var lacks []history.Value
	for f, name := range factNames {
		if d.lacks[f] {
			lacks = append(lacks, history.StringValue(name))
		}
	}
	if len(lacks) > 0 {
		d.b.SetModel("etcd", []history.Value{history.ListValue(lacks...)})
	}
	var unused []string
	for _, u := range []struct {
		n    int
		what string
	}{{d.olderReads, "read%s at an older revision"}, {d.compactions, "compaction%s"}, {d.defragmentations, "defragmentation%s"}} {
		if u.n > 0 {
			unused = append(unused, fmt.Sprintf("%d "+u.what, u.n, "s"[:min(1, u.n-1)]))
		}
	}
	if len(unused) > 0 {
		d.b.Warn("not used: " + strings.Join(unused, ", "))
	}
}

// otherRecord is the fault of a record that is not of etcd. It says how such records are read.
const otherRecord = `this is not a client report of etcd; operations of porcupine's key-value model are read by ` +
	`--map 'process=ClientId,f=["get", "put", "append"][Input.Op],args=[Input.Key, Input.Op == 0 ? nil : Input.Value],result=Output?.Value,call=Call,return=Return < 0 ? nil : Return,model=kv:""'` +
	`, and those of other models by the names in their Input and Output`

// request reads the record, which begins at line.
func (d *report) request(line int) {
	request := scan.Member(scan.Member(d.record, "Input"), "Type")
	if request.Kind() != history.String {
		d.refuse("%s", otherRecord)
		return
	}
	switch name := request.Text(); name {
	case "defragment":
		d.defragmentations++
	case "compact":
		d.compactions++
	case "leaseGrant":
		if id := d.optional(history.Int, d.record, "Input", "LeaseGrant", "LeaseID"); d.outcome() == lost && id.Int() == 0 {
			return
		}
		d.operation(line, d.leaseRequest("leaseGrant", "LeaseGrant"))
	case "leaseRevoke":
		d.operation(line, d.leaseRequest("leaseRevoke", "LeaseRevoke"))
	case "range":
		if d.optional(history.Int, d.record, "Input", "Range", "Revision").Int() != 0 {
			d.olderReads++
			return
		}
		d.operation(line, d.rangeRequest)
	case "txn":
		d.operation(line, d.transaction)
	default:
		d.refuse("an unknown type of request: %s", scan.Clip([]byte(name)))
	}
}

// A call is a request as an operation of the model. Its result does not count if it is lost.
type call struct {
	method string
	args   []history.Value
	result history.Value
}

// An outcome says what is known of the effect of a request.
type outcome int

const (
	returned  outcome = iota
	lost              // it may or may not have taken effect
	persisted         // it took effect, and only its revision is known
)

// operation adds the operation that request returns. It stays pending if it is lost.
func (d *report) operation(line int, request func(outcome) call) {
	client := d.at(d.record, "ClientId")
	if k := client.Kind(); k != history.Int && k != history.String {
		d.refuse("ClientId is %s, int or string expected", shown(client))
	}
	at, out := d.required(history.Int, d.record, "Call").Int(), d.outcome()
	c := request(out)
	op := history.IntValue(int64(d.count))
	invoke := history.Event{Type: history.Invoke, Process: d.keep(client), Op: op, Method: c.method, Args: c.args, At: at, Line: line}
	end := history.Event{Type: history.Info, Process: invoke.Process, Op: op, At: at, Line: line}
	if out != lost {
		end.Type, end.At, end.Result = history.OK, d.required(history.Int, d.record, "Return").Int(), c.result
	}
	if end.At < at {
		d.refuse("Return is %d, less than Call, which is %d", end.At, at)
	}
	if d.fault != "" {
		return
	}
	d.count++
	d.b.Add(&invoke)
	d.b.Add(&end)
}

// outcome returns the outcome of the record. It is lost if the request did not return or failed,
// and if the response is not complete.
func (d *report) outcome() outcome {
	if ret := d.optional(history.Int, d.record, "Return"); ret.Kind() == history.None || ret.Int() < 0 {
		return lost
	}
	switch {
	case d.optional(history.String, d.record, "Output", "Error").Text() != "",
		d.optional(history.String, d.record, "Output", "ClientError").Text() != "",
		d.optional(history.Bool, d.record, "Output", "PartialResponse").Bool():
		return lost
	case !d.optional(history.Bool, d.record, "Output", "Persisted").Bool():
		return returned
	case d.optional(history.Int, d.record, "Output", "PersistedRevision").Int() > 0 && d.at(d.record, "Input", "Type").Text() == "txn":
		return persisted
	}
	return lost
}

// fact returns a number of a response, or null if responses lack it.
func (d *report) fact(f fact, object history.Value, path ...string) history.Value {
	v := d.optional(history.Int, object, path...)
	isMissing := v.Kind() == history.None
	d.has[f] = d.has[f] || !isMissing
	if d.lacks[f] = d.lacks[f] || isMissing; d.lacks[f] && d.has[f] {
		d.refuse("some responses have %s, and others do not", path[len(path)-1])
	}
	if isMissing {
		return history.NullValue
	}
	return v
}

// revision returns the revision of the response.
func (d *report) revision() history.Value {
	return d.fact(revisionFact, d.record, "Output", "Revision")
}

// list and word return values that live as long as the history.
func (d *report) list(values ...history.Value) history.Value { return d.stream.Pool.NewList(values) }
func (d *report) word(text string) history.Value             { return d.stream.Pool.Text([]byte(text)) }

// keep returns a copy of a value of the record, which lives as long as the history.
func (d *report) keep(v history.Value) history.Value {
	var parts []history.Value
	for _, part := range v.List() {
		parts = append(parts, d.keep(part))
	}
	switch v.Kind() {
	case history.String:
		return d.stream.Pool.Text([]byte(v.Text()))
	case history.List:
		return d.stream.Pool.NewList(parts)
	case history.Map:
		v, _ = d.stream.Pool.NewMap(parts) // whose keys differ
	}
	return v
}

// at returns the member of an object that a path leads to, None if it is missing or null.
func (d *report) at(object history.Value, path ...string) history.Value {
	for i, name := range path {
		if k := object.Kind(); i > 0 && k != history.Map && k != history.None && k != history.Null {
			d.refuse("%s is %s, map expected", strings.Join(path[:i], "."), shown(object))
		}
		object = scan.Member(object, name)
	}
	if object.Kind() == history.Null {
		return history.NoValue
	}
	return object
}

// optional is at for a member that has a kind unless it is missing.
func (d *report) optional(kind history.Kind, object history.Value, path ...string) history.Value {
	v := d.at(object, path...)
	if v.Kind() != kind && v.Kind() != history.None {
		d.refuse("%s is %s, %v expected", strings.Join(path, "."), shown(v), kind)
	}
	return v
}

// required is at for a member that must be there, with a kind.
func (d *report) required(kind history.Kind, object history.Value, path ...string) history.Value {
	v := d.optional(kind, object, path...)
	if v.Kind() == history.None {
		d.refuse("%s is missing, %v expected", strings.Join(path, "."), kind)
	}
	return v
}

// refuse notes a fault of the record, unless there is one.
func (d *report) refuse(format string, args ...any) {
	if d.fault == "" {
		d.fault = fmt.Sprintf(format, args...)
	}
}

// shown returns a value for a message.
func shown(v history.Value) string {
	if v.Kind() == history.None {
		return "missing"
	}
	return scan.Clip([]byte(v.String()))
}
