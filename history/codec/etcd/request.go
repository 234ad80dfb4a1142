package etcd

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/scan"
)

// leaseRequest returns a function that reads a request about the lease in a member of the input.
func (d *report) leaseRequest(method, member string) func(outcome) call {
	return func(out outcome) call {
		c := call{method: method, args: d.list(d.required(history.Int, d.record, "Input", member, "LeaseID")).List()}
		if out == returned {
			c.result = d.revision()
		}
		return c
	}
}

// rangeRequest reads a range outside of transactions.
func (d *report) rangeRequest(out outcome) call {
	step := d.rangeStep(d.at(d.record, "Input"))
	c := call{method: step[0].Text(), args: step[1:]}
	if out == returned {
		c.result = d.whole(append(d.found(c.method, d.at(d.record, "Output", "Range")), d.revision()))
	}
	return c
}

// transaction reads a transaction.
func (d *report) transaction(out outcome) call {
	txn, branch := d.required(history.Map, d.record, "Input", "Txn"), "OperationsOnSuccess"
	var compares []history.Value
	for _, condition := range d.optional(history.List, txn, "Conditions").List() {
		compares = append(compares, d.compare(condition))
	}
	success, failure := d.steps(txn, branch), d.steps(txn, "OperationsOnFailure")
	c := call{method: "txn", args: d.list(d.list(compares...), d.list(success...), d.list(failure...)).List()}
	if out == persisted {
		c.method, c.result = "persisted", d.fact(revisionFact, d.record, "Output", "PersistedRevision")
		return c
	}
	steps, hasFailed := success, out == returned && d.optional(history.Bool, d.record, "Output", "Txn", "Failure").Bool()
	if hasFailed {
		steps, branch = failure, "OperationsOnFailure"
	}
	isPlain := len(compares) == 0 && len(success) == 1 && len(failure) == 0 && !hasFailed && d.fault == ""
	if isPlain {
		step := success[0].List()
		c.method, c.args = step[0].Text(), step[1:]
	}
	if out == lost {
		return c
	}
	response := d.required(history.Map, d.record, "Output", "Txn")
	found := d.optional(history.List, response, "Results").List()
	if len(found) != len(steps) {
		d.refuse("%s has %d operations, and Results %d results", branch, len(steps), len(found))
	}
	var results []history.Value
	for i := 0; i < len(steps) && d.fault == ""; i++ {
		parts := d.found(steps[i].List()[0].Text(), found[i])
		if isPlain {
			c.result = d.whole(append(parts, d.revision()))
			return c
		}
		results = append(results, d.whole(parts))
	}
	c.result = d.list(history.BoolValue(!hasFailed), d.list(results...), d.revision())
	return c
}

// compare returns the compare of a condition.
func (d *report) compare(condition history.Value) history.Value {
	what, expected := "mod", d.optional(history.Int, condition, "ExpectedRevision").Int()
	if version := d.optional(history.Int, condition, "ExpectedVersion").Int(); version > 0 {
		what, expected = "version", version
	}
	return d.list(d.word(what), d.keep(d.required(history.String, condition, "Key")), history.IntValue(expected))
}

// steps returns the steps of a branch of a transaction.
func (d *report) steps(txn history.Value, branch string) (steps []history.Value) {
	for _, object := range d.optional(history.List, txn, branch).List() {
		var step []history.Value
		switch kind := scan.Member(object, "Type"); kind.Text() {
		case "put-operation":
			key := d.required(history.String, object, "Put", "Key")
			step = append(step, d.word("put"), d.keep(key), d.keep(d.content(d.at(object, "Put"), key)))
			if lease := d.optional(history.Int, object, "Put", "LeaseID"); lease.Int() != 0 {
				step = append(step, lease)
			}
		case "delete-operation":
			step = append(step, d.word("delete"), d.keep(d.required(history.String, object, "Delete", "Key")))
		case "range-operation":
			step = d.rangeStep(object)
			if d.optional(history.Int, object, "Range", "Revision").Int() != 0 {
				d.refuse("a read at an older revision in a transaction")
			}
		default:
			d.refuse("an unknown type of operation: %s", shown(kind))
			return nil
		}
		steps = append(steps, d.list(step...))
	}
	return steps
}

// rangeStep returns the step of an object with a Range.
func (d *report) rangeStep(object history.Value) []history.Value {
	options := d.required(history.Map, object, "Range")
	method, start := "range", d.keep(d.required(history.String, object, "Range", "Start"))
	end, limit := d.optional(history.String, options, "End").Text(), d.optional(history.Int, options, "Limit").Int()
	switch isKeysOnly := d.optional(history.Bool, options, "KeysOnly").Bool(); {
	case isKeysOnly:
		method = "keys"
	case end == "":
		return []history.Value{d.word("get"), start}
	}
	return []history.Value{d.word(method), start, d.word(end), history.IntValue(limit)}
}

// found returns the parts of the result of a step: none for a put, the number of deleted keys,
// or the keys that a range found and their number.
func (d *report) found(method string, found history.Value) []history.Value {
	switch {
	case method == "put":
		return nil
	case method == "delete":
		return []history.Value{d.fact(deletedFact, found, "Deleted")}
	case found.Kind() != history.Map:
		d.refuse("the result of a range is %s, map expected", shown(found))
	}
	var kvs []history.Value
	for _, kv := range d.optional(history.List, found, "KVs").List() {
		key, content := d.required(history.String, kv, "Key"), history.NullValue
		if method != "keys" {
			content = d.keep(d.content(kv, key))
		}
		kvs = append(kvs, d.list(d.keep(key), content, d.fact(modFact, kv, "ModRevision"), d.fact(versionFact, kv, "Version")))
	}
	return []history.Value{d.list(kvs...), d.fact(countFact, found, "Count")}
}

// whole returns the result that has these parts: null if there is none, a part by itself, or a list.
func (d *report) whole(parts []history.Value) history.Value {
	switch len(parts) {
	case 0:
		return history.NullValue
	case 1:
		return parts[0]
	}
	return d.list(parts...)
}

// content returns the value of a key. It is an object that has the hash of a long value, and
// nothing if the value is empty; other recorders have the value itself.
func (d *report) content(object, key history.Value) history.Value {
	v := d.at(object, "Value")
	if v.Kind() == history.Map {
		if hash := d.optional(history.Int, v, "Hash"); hash.Int() != 0 {
			return hash
		}
		if v = d.at(v, "Value"); v.Kind() == history.None {
			return history.StringValue("")
		}
	}
	if v.Kind() == history.None {
		d.refuse("the key %s has no value", shown(key))
	}
	return v
}
