// Package etcd reads client reports of etcd's robustness tests: an object for each request
// with its response. They are transactions on registers, in which a missing key is nil:
//
//   - A put and a delete are writes. A range of several keys is read as reads of the keys that it
//     found.
//   - Revisions and conditions are not checked.
//   - Reads at a revision, leases, compactions and defragmentations are left out, since they
//     neither change nor read the current values. With leases, keys can vanish, so a put with a
//     lease is a fault.
//
// The record
//
//	{"ClientId":1, "Input":{"Type":"range","Range":{"Start":"k"}}, "Call":5,
//	 "Output":{"Range":{"KVs":[{"Key":"k","Value":{"Value":"v"}}]}}, "Return":9}
//
// is the operation txn([["read","k",null]]) of process 1, with the result [["read","k","v"]].
package etcd

import (
	"fmt"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// Report is the format of a file of which there is one for each client.
var Report = decode.Format{
	Name:        ReportName,
	Description: "client reports of etcd's robustness tests, in JSON",
	Single:      true,
	Sniff:       decode.SniffKeys("ClientId", "Input", "Call"),
	Open: func(s *decode.Stream) decode.Reader {
		objects := s.Objects()
		objects.Comments = true
		objects.ObjectLimit = min(objects.ObjectLimit, s.Limits.Memory/16) // the values of an object take more memory than its text
		return &report{stream: s, objects: objects, scan: scan.Scanner{Pool: new(scan.Pool), Wide: true}}
	},
}

// ReportName is the name of the format Report.
const ReportName = "etcd-report"

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

	record        history.Value   // the current one, an object
	fault         string          // of record
	args, results []history.Value // its reads and writes, without and with the values that reads returned
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
		d.b = d.stream.Begin(history.Header{Line: line, Format: "jsonl", Model: "multi-register", Order: history.StampOrder})
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
	case "leaseGrant", "leaseRevoke", "defragment", "compact":
	case "range":
		if d.optional(history.Int, d.record, "Input", "Range", "Revision").Int() == 0 {
			d.operation(line, d.rangeRequest)
		}
	case "txn":
		d.operation(line, d.transaction)
	default:
		d.refuse("an unknown type of request: %s", scan.Clip([]byte(name)))
	}
}

// operation adds the operation whose reads and writes accesses notes. It stays pending if its
// outcome is unknown.
func (d *report) operation(line int, accesses func(isLost bool)) {
	client := d.at(d.record, "ClientId")
	if k := client.Kind(); k != history.Int && k != history.String {
		d.refuse("ClientId is %s, int or string expected", shown(client))
	}
	call, isLost := d.required(history.Int, d.record, "Call").Int(), d.isLost()
	d.args, d.results = d.args[:0], d.results[:0]
	accesses(isLost)
	op := history.IntValue(int64(d.count))
	invoke := history.Event{Type: history.Invoke, Process: d.keep(client), Op: op, Method: "txn", At: call, Line: line}
	end := history.Event{Type: history.Info, Process: invoke.Process, Op: op, At: call, Line: line}
	if !isLost {
		end.Type, end.At = history.OK, d.required(history.Int, d.record, "Return").Int()
	}
	if end.At < call {
		d.refuse("Return is %d, less than Call, which is %d", end.At, call)
	}
	if d.fault != "" {
		return
	}
	invoke.Args, end.Result = d.stream.Pool.List([]history.Value{d.stream.Pool.NewList(d.args)}), d.stream.Pool.NewList(d.results)
	d.count++
	d.b.Add(&invoke)
	d.b.Add(&end)
}

// isLost reports whether the outcome of the request is unknown: it did not return, it failed, or
// the response is not complete. A request that is Persisted took effect without a response.
func (d *report) isLost() bool {
	if ret := d.optional(history.Int, d.record, "Return"); ret.Kind() == history.None || ret.Int() < 0 {
		return true
	}
	return d.optional(history.String, d.record, "Output", "Error").Text() != "" ||
		d.optional(history.Bool, d.record, "Output", "PartialResponse").Bool() ||
		d.optional(history.Bool, d.record, "Output", "Persisted").Bool()
}

// rangeRequest notes the reads of a range outside of transactions.
func (d *report) rangeRequest(isLost bool) {
	d.required(history.Map, d.record, "Input", "Range")
	if !isLost {
		d.read(d.at(d.record, "Input"), d.at(d.record, "Output", "Range"))
	}
}

// transaction notes the reads and writes of a transaction. If it is lost, these are the writes that
// it may have done.
func (d *report) transaction(isLost bool) {
	txn, branch := d.required(history.Map, d.record, "Input", "Txn"), "OperationsOnSuccess"
	if d.optional(history.Bool, d.record, "Output", "Txn", "Failure").Bool() {
		branch = "OperationsOnFailure"
	}
	steps, found := d.optional(history.List, txn, branch).List(), []history.Value(nil)
	if isLost {
		for _, step := range d.optional(history.List, txn, "OperationsOnFailure").List() {
			if scan.Member(step, "Type").Text() != "range-operation" {
				d.refuse("both branches of a lost transaction have effects")
			}
		}
	} else {
		response := d.required(history.Map, d.record, "Output", "Txn")
		found = d.optional(history.List, response, "Results").List()
		if len(found) != len(steps) {
			d.refuse("%s has %d operations, and Results %d results", branch, len(steps), len(found))
		}
	}
	for i := 0; i < len(steps) && d.fault == ""; i++ {
		switch kind := scan.Member(steps[i], "Type"); kind.Text() {
		case "put-operation":
			d.put(steps[i])
		case "delete-operation":
			d.note("write", d.required(history.String, steps[i], "Delete", "Key"), history.NullValue, history.NullValue)
		case "range-operation":
			if !isLost {
				d.read(steps[i], found[i])
			}
		default:
			d.refuse("an unknown type of operation: %s", shown(kind))
		}
	}
}

// put notes the write of an operation with a Put.
func (d *report) put(step history.Value) {
	key := d.required(history.String, step, "Put", "Key")
	if d.optional(history.Int, step, "Put", "LeaseID").Int() != 0 {
		d.refuse("a put with a lease, of the key %s", shown(key))
	}
	value := d.content(d.at(step, "Put"), key)
	d.note("write", key, value, value)
}

// read notes the reads of an operation with a Range, unless it reads at a revision.
func (d *report) read(step, found history.Value) {
	if d.optional(history.Int, step, "Range", "Revision").Int() != 0 {
		return
	}
	if found.Kind() != history.Map {
		d.refuse("the result of a range is %s, map expected", shown(found))
	}
	start, stop := d.required(history.String, step, "Range", "Start").Text(), d.optional(history.String, step, "Range", "End").Text()
	kvs := d.optional(history.List, found, "KVs").List()
	known := make(map[string]bool, len(kvs))
	for _, kv := range kvs {
		key := d.required(history.String, kv, "Key")
		k := key.Text()
		isAsked := k == start
		if stop != "" {
			isAsked = start <= k && (k < stop || stop == "\x00") // which stands for no end
		}
		switch {
		case !isAsked:
			d.refuse("KVs has the key %s, and the range does not ask for it", shown(key))
		case known[k]:
			d.refuse("KVs has the key %s twice", shown(key))
		}
		known[k] = true
		d.note("read", key, history.NullValue, d.content(kv, key))
	}
	if stop == "" && len(kvs) == 0 {
		d.note("read", d.at(step, "Range", "Start"), history.NullValue, history.NullValue)
	}
}

// content returns the value of a key. It is an object that has the hash of a long value; other
// recorders have the value itself.
func (d *report) content(object, key history.Value) history.Value {
	v := d.at(object, "Value")
	if v.Kind() == history.Map {
		if hash := d.optional(history.Int, v, "Hash"); hash.Int() != 0 {
			return hash
		}
		v = d.at(v, "Value")
	}
	if v.Kind() == history.None {
		d.refuse("the key %s has no value", shown(key))
	}
	return v
}

// note notes a read or a write of a key, with its argument and its result.
func (d *report) note(method string, key, arg, result history.Value) {
	access := []history.Value{d.stream.Pool.Text([]byte(method)), d.keep(key), d.keep(arg)}
	d.args = append(d.args, d.stream.Pool.NewList(access))
	access[2] = d.keep(result)
	d.results = append(d.results, d.stream.Pool.NewList(access))
}

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
