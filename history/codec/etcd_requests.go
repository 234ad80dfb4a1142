package codec

import (
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
)

// etcdRequests reads the requests of etcd's robustness tests as transactions on a
// multi-register, in which a missing key is null:
//
//   - a range reads all its keys that occur in the history, up to its limit;
//   - the outcome of a transaction says which of its branches ran; whether its
//     conditions held is not checked;
//   - reads at a revision, leases that no put has, compactions and
//     defragmentations are left out, since they neither change nor read the
//     current keys.
type etcdRequests struct {
	keys   []string // those in the history, sorted
	leased bool     // a put has a lease, whose end deletes the key
	// memory is what the operations on registers may take. A range of all keys
	// takes one for each, so that they may take much more than the input.
	memory int64
	full   int // the line at which they take more, 0 if they do not
}

// registerBytes is about what an operation on a register takes: two lists of three
// values, each an element of another list.
const registerBytes = 2 * (partBytes + 4*valueBytes)

// add gives the operations to the Builder. It reports false, and gives none, if it does
// not know one of them. It stops at line full if that is not 0.
func (e *etcdRequests) add(b *history.Builder, ops []intervalRecord) bool {
	for i := range ops {
		if !e.note(&ops[i]) {
			return false
		}
	}
	if e.leased || len(e.keys) == 0 {
		return false
	}
	slices.Sort(e.keys)
	e.keys = slices.Compact(e.keys)
	b.SetModel("multi-register", nil)
	for i := range ops {
		r := &ops[i]
		args, results, wrong := e.transaction(r)
		switch {
		case wrong != "":
			b.Errorf(r.line, "%s", wrong)
		case e.memory < 0:
			e.full = r.line
			return true
		case len(args) > 0:
			r.add(b, "txn", []history.Value{history.ListValue(args...)}, history.ListValue(results...))
		}
	}
	return true
}

// note collects the keys of a request.
func (e *etcdRequests) note(r *intervalRecord) bool {
	switch member(r.input, "Type").Text() {
	case "leaseGrant", "leaseRevoke", "defragment", "compact":
		return true
	case "range":
		request := member(r.input, "Range")
		return request.Kind() == history.Map && e.noteRange(request, member(r.output, "Range"))
	case "txn":
	default:
		return false
	}
	operations, ok := etcdBranch(r)
	if !ok {
		return false
	}
	results := etcdResults(r)
	for i, operation := range operations {
		switch put := member(operation, "Put"); member(operation, "Type").Text() {
		case "put-operation":
			if _, known := etcdValue(put); !known || member(put, "Key").Kind() != history.String {
				return false
			}
			e.keys = append(e.keys, member(put, "Key").Text())
			e.leased = e.leased || member(put, "LeaseID").Int() != 0
		case "delete-operation":
			key := member(member(operation, "Delete"), "Key")
			if key.Kind() != history.String {
				return false
			}
			e.keys = append(e.keys, key.Text())
		case "range-operation":
			if i < len(results) && !e.noteRange(member(operation, "Range"), results[i]) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// noteRange collects the keys of a range. It reports false if the range has no start, or
// found a value of an unknown kind.
func (e *etcdRequests) noteRange(request, response history.Value) bool {
	if member(request, "Start").Kind() != history.String {
		return false
	}
	if member(request, "End").Text() == "" {
		e.keys = append(e.keys, member(request, "Start").Text())
	}
	for _, kv := range member(response, "KVs").List() {
		if _, known := etcdValue(kv); !known {
			return false
		}
		e.keys = append(e.keys, member(kv, "Key").Text())
	}
	return true
}

// etcdBranch returns the operations of the branch of a transaction that ran or may have
// run. It reports false if both may have run and have effects.
func etcdBranch(r *intervalRecord) ([]history.Value, bool) {
	txn := member(r.input, "Txn")
	success, failure := member(txn, "OperationsOnSuccess").List(), member(txn, "OperationsOnFailure").List()
	switch {
	case txn.Kind() != history.Map:
		return nil, false
	case len(member(txn, "Conditions").List()) == 0:
		return success, true
	case r.end != lost && member(member(r.output, "Txn"), "Failure").Bool():
		return failure, true
	case r.end != lost:
		return success, true
	}
	r.happened = false // if the other branch did, it had no effect
	return success, !slices.ContainsFunc(failure, func(o history.Value) bool { return member(o, "Type").Text() != "range-operation" })
}

func etcdResults(r *intervalRecord) []history.Value {
	return member(member(r.output, "Txn"), "Results").List()
}

// transaction returns the operations of a request on registers, as arguments and, with
// what they read, as results, or what is wrong with it. It leaves out the reads of a lost
// request.
func (e *etcdRequests) transaction(r *intervalRecord) (args, results []history.Value, wrong string) {
	add := func(f, key string, arg, result history.Value) {
		op, k := history.StringValue(f), history.StringValue(key)
		args = append(args, history.ListValue(op, k, arg))
		results = append(results, history.ListValue(op, k, result))
	}
	read := func(request, response history.Value) {
		if r.end == lost || member(request, "Revision").Int() != 0 {
			return
		}
		keys := e.inRange(request, response)
		if e.memory -= int64(len(keys)) * registerBytes; e.memory < 0 {
			return
		}
		found := map[string]history.Value{}
		for _, kv := range member(response, "KVs").List() {
			key := member(kv, "Key").Text()
			_, twice := found[key]
			if _, asked := slices.BinarySearch(keys, key); twice || !asked {
				wrong = fmt.Sprintf("KVs has the key %q, which the range does not ask for, or has it twice", key)
				return
			}
			found[key], _ = etcdValue(kv) // which note knows
		}
		for _, key := range keys {
			value, ok := found[key]
			if !ok {
				value = history.NullValue
			}
			add("read", key, history.NullValue, value)
		}
	}
	switch member(r.input, "Type").Text() {
	case "range":
		read(member(r.input, "Range"), member(r.output, "Range"))
	case "txn":
		operations, _ := etcdBranch(r)
		found := etcdResults(r)
		if r.end != lost && len(found) != len(operations) {
			return nil, nil, "Output.Txn.Results has another number of results than the transaction has operations"
		}
		for i, operation := range operations {
			switch put := member(operation, "Put"); member(operation, "Type").Text() {
			case "put-operation":
				value, _ := etcdValue(put) // which note knows
				add("write", member(put, "Key").Text(), value, value)
			case "delete-operation":
				add("write", member(member(operation, "Delete"), "Key").Text(), history.NullValue, history.NullValue)
			default:
				if r.end != lost {
					read(member(operation, "Range"), found[i])
				}
			}
		}
	}
	return args, results, wrong
}

// inRange returns the keys that a range read, found or not.
func (e *etcdRequests) inRange(request, response history.Value) []string {
	start, end := member(request, "Start").Text(), member(request, "End").Text()
	if end == "" {
		return []string{start}
	}
	kvs := member(response, "KVs").List()
	limit, last := member(request, "Limit").Int(), ""
	if n := len(kvs); n > 0 && limit > 0 && int64(n) >= limit {
		last = member(kvs[n-1], "Key").Text() // there may be more
	}
	from, _ := slices.BinarySearch(e.keys, start)
	to := len(e.keys)
	if end != "\x00" {
		to, _ = slices.BinarySearch(e.keys, end)
	}
	if i, ok := slices.BinarySearch(e.keys, last); ok && last != "" {
		to = min(to, i+1)
	}
	return e.keys[from:max(from, to)]
}

// etcdRequest reads a request of etcd's robustness tests that is a get or a
// put of one key, alone or as a transaction without conditions. Revisions are not
// checked. It reports false for all others.
func etcdRequest(r *intervalRecord) (inv history.Event, result history.Value, ok bool) {
	request, response := member(r.input, "Range"), member(r.output, "Range")
	switch member(r.input, "Type").Text() {
	case "range":
		if member(request, "Revision").Int() != 0 {
			return inv, result, false
		}
		return etcdGet(request, response, r.end == lost)
	case "txn":
	default:
		return inv, result, false
	}
	txn := member(r.input, "Txn")
	operations := member(txn, "OperationsOnSuccess").List()
	if len(operations) != 1 || len(member(txn, "Conditions").List())+len(member(txn, "OperationsOnFailure").List()) > 0 {
		return inv, result, false
	}
	results := member(member(r.output, "Txn"), "Results").List()
	if r.end != lost && len(results) != 1 {
		return inv, result, false
	}
	switch operation := operations[0]; member(operation, "Type").Text() {
	case "put-operation":
		put := member(operation, "Put")
		key := member(put, "Key")
		value, known := etcdValue(put)
		inv = history.Event{Method: "put", Args: []history.Value{key, value}}
		return inv, history.NoValue, known && key.Kind() == history.String && member(put, "LeaseID").Int() == 0
	case "range-operation":
		if r.end == lost {
			return etcdGet(member(operation, "Range"), history.NoValue, true)
		}
		return etcdGet(member(operation, "Range"), results[0], false)
	}
	return inv, result, false
}

// etcdGet reads a range that is one key.
func etcdGet(request, response history.Value, pending bool) (inv history.Event, result history.Value, ok bool) {
	key := member(request, "Start")
	inv = history.Event{Method: "get", Args: []history.Value{key}}
	if key.Kind() != history.String || member(request, "End").Text() != "" || !pending && response.Kind() != history.Map {
		return inv, result, false
	}
	found := member(response, "KVs").List()
	if len(found) == 0 {
		return inv, history.NullValue, true
	}
	result, ok = etcdValue(found[0])
	return inv, result, ok && len(found) == 1 && member(found[0], "Key").Equal(key)
}

// etcdValue returns the value that a put writes or a range found: a string, or the
// string or the hash in an object. It reports false for all others.
func etcdValue(kv history.Value) (value history.Value, ok bool) {
	value = member(kv, "Value")
	if value.Kind() == history.Map {
		if hash := member(value, "Hash"); hash.Int() != 0 {
			return hash, true
		}
		value = member(value, "Value")
	}
	return value, value.Kind() == history.String
}
