package codec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// An intervalRecord is an operation with call and return, as in porcupine.
type intervalRecord struct {
	process, id history.Value
	// Either input and output, or method, args and, in output, the result.
	input, output history.Value
	method        string
	args          []history.Value
	call, ret     int64
	end           ending // lost if it has no return
	happened      bool   // lost, but known to have taken effect
	line          int
}

// interval reads {"ClientId":0, "Input":..., "Call":1, "Output":..., "Return":2}.
// Without a return, or with a negative one, or with an error in its output, it stays
// pending.
func (d *jsonl) interval(record history.Value, line int) (fault string) {
	m := d.m
	r := intervalRecord{id: history.IntValue(d.operations), line: line}
	d.operations++
	if id := m.find(record, mapOp); id.Kind() != history.None {
		r.id = d.pool.kept(id)
	}
	if r.process = r.id; m.has(mapProcess) { // else each operation is a process of its own
		r.process = m.find(record, mapProcess)
	}
	if k := r.process.Kind(); k != history.Int && k != history.String {
		return m.named(mapProcess) + " " + wrongKind(r.process, "an integer or a string")
	}
	if fault := d.span(record, &r); fault != "" || r.end == skipRecord {
		return fault
	}
	d.look(record)
	if !m.has(mapInput) {
		return d.plainInterval(record, &r)
	}
	r.input, r.output = m.find(record, mapInput), m.find(record, mapOutput)
	if !m.states(record) {
		if isSet(anyMember(r.output, "error")) || isFault(anyMember(r.output, "err")) {
			r.end = lost
		}
		if member(r.output, "Persisted").Bool() || member(r.output, "PartialResponse").Bool() {
			r.end, r.happened = lost, true
		}
	}
	r.input, r.output = d.pool.kept(r.input), d.pool.kept(r.output)
	d.intervals = append(d.intervals, r)
	return ""
}

// span sets the stamps of an operation and how it ended.
func (d *jsonl) span(record history.Value, r *intervalRecord) (fault string) {
	m, last := d.m, mapReturn
	if m.has(mapDuration) {
		last = mapDuration
	}
	ret := m.find(record, last)
	open := ret.Kind() == history.None || ret.Kind() == history.Null ||
		last == mapReturn && isNegative(ret) && !isNegative(m.find(record, mapCall))
	switch {
	case m.states(record) || !open && (len(m.conditions) > 0 || m.has(mapStatus)):
		r.end, fault = m.ending(record)
	case open:
		r.end, d.unreturned = lost, true
	default:
		r.end = returned
	}
	switch {
	case fault != "":
		return fault
	case r.end == began:
		return "a record is a whole operation, and not an invocation"
	case r.end == failed && open:
		r.end = skipRecord // it did not happen
	case r.end != lost && r.end != skipRecord && open:
		return fmt.Sprintf("%s is missing, but the operation returned", m.named(last))
	}
	if r.end == skipRecord {
		return ""
	}
	from, to, fault := d.ends(record, r.end == lost)
	if fault != "" || r.end == lost {
		r.call = d.stamps.take(from, d.restamp)
		return fault
	}
	r.call, r.ret = d.stamps.take(from, d.restamp), 0
	r.ret = d.stamps.take(to, func(f func(int64) int64) { d.restamp(f); r.call = f(r.call) })
	return fault
}

// isNegative reports whether v is a stamp below 0.
func isNegative(v history.Value) bool {
	switch v.Kind() {
	case history.Int:
		return v.Int() < 0
	case history.Float:
		return v.Float() < 0
	}
	s, fault := parseDecimal(strings.TrimSpace(v.Text()))
	return fault == "" && s.whole < 0
}

// ends returns the stamps of the call and the return of an operation. If it is lost,
// only the first is valid.
func (d *jsonl) ends(record history.Value, isLost bool) (from, to stamp, fault string) {
	m := d.m
	if m.has(mapCall) {
		if from, fault = d.stamp(record, mapCall); fault != "" || isLost {
			return from, to, fault
		}
	}
	if m.has(mapReturn) {
		if to, fault = d.stamp(record, mapReturn); fault != "" {
			return from, to, fault
		}
	}
	if !m.has(mapDuration) {
		if compareStamps(to, from) < 0 {
			fault = fmt.Sprintf("%s is %v, before %s, which is %v", m.named(mapReturn), m.find(record, mapReturn), m.named(mapCall), m.find(record, mapCall))
		}
		return from, to, fault
	}
	v, text, fits := m.find(record, mapDuration), "", false
	if v.Kind() == history.Float {
		text = written(d.records, record, m.paths[mapDuration])
	}
	took, fault := d.stamps.duration(v, text, m.unit)
	if fault != "" {
		return from, to, m.named(mapDuration) + " " + fault
	}
	if m.has(mapCall) {
		to, fits = from.plus(took)
	} else {
		from, fits = to.minus(took)
	}
	if !fits {
		fault = m.named(mapDuration) + " leads to a stamp that does not fit 64 bits"
	}
	return from, to, fault
}

// plainInterval reads an operation whose method, arguments and result have paths of
// their own.
func (d *jsonl) plainInterval(record history.Value, r *intervalRecord) (fault string) {
	method := d.m.find(record, mapF)
	if method.Kind() != history.String {
		return d.m.named(mapF) + " " + wrongKind(method, "a string")
	}
	if r.method = method.Text(); !d.m.has(mapValue) {
		r.args, r.output = d.pool.keptList(d.arguments(record, r.method)), d.pool.kept(d.result(record, r.end, r.method))
		d.intervals = append(d.intervals, *r)
		return ""
	}
	ev := history.Event{Process: r.process, Op: r.id, Method: r.method, At: r.call, Line: r.line}
	d.word(record, &ev, began)
	if r.end != lost {
		ev.Type, ev.At = r.end.event(), r.ret
		d.word(record, &ev, r.end)
	}
	return ""
}

// add gives an operation to the Builder.
func (r *intervalRecord) add(b *history.Builder, method string, args []history.Value, result history.Value) {
	b.Add(&history.Event{Type: history.Invoke, Process: r.process, Op: r.id, Method: method, Args: args, At: r.call, Line: r.line})
	switch {
	case r.happened:
		b.Mark(r.id, true, r.line)
	case r.end != lost:
		b.Add(&history.Event{Type: r.end.event(), Process: r.process, Op: r.id, Result: result, At: r.ret, Line: r.line})
	}
}

// addIntervals gives operations to the Builder. If they have input and output and all
// are requests to a key-value store, they are added as such. Otherwise the input names
// the method.
func (d *jsonl) addIntervals() {
	if len(d.intervals) > 0 && d.m.has(mapInput) {
		d.addRequests()
		return
	}
	for i := range d.intervals {
		r := &d.intervals[i]
		r.add(d.words.b, r.method, r.args, r.output)
	}
}

func (d *jsonl) addRequests() {
	simple, missing := true, []history.Value{history.StringValue("")}
	for i := range d.intervals {
		r := &d.intervals[i]
		inv, result, ok := keyValueRequest(r)
		if simple = simple && ok; simple && inv.Method == "get" && r.end != lost && result.Kind() == history.Null {
			missing = nil // which is null
		}
	}
	if simple {
		d.words.b.SetModel("kv", missing)
	} else if e := (etcdRequests{memory: d.memory}); e.add(d.words.b, d.intervals) {
		if e.full > 0 {
			d.out.broken(e.full, tooMuchMemory(d.memory))
		}
		return
	}
	for i := range d.intervals {
		r := &d.intervals[i]
		if simple {
			if fault := d.strangeRequest(r); fault != "" {
				d.words.b.Errorf(r.line, "%s", fault)
				continue
			}
			inv, result, _ := keyValueRequest(r)
			r.add(d.words.b, inv.Method, inv.Args, result)
			continue
		}
		method, args := requestOf(r.input)
		if method == "" {
			d.words.b.Errorf(r.line, "the input does not say what is done, by Type, Op, Method or a single key")
			continue
		}
		result := r.output
		if result.Kind() == history.Null {
			result = history.NoValue
		}
		r.add(d.words.b, method, args, result)
	}
}

// asksKeyValue reports whether an operation is a get that returned.
func asksKeyValue(r intervalRecord) bool {
	inv, _, ok := keyValueRequest(&r)
	return ok && inv.Method == "get" && r.end != lost
}

// requestOf returns the method and the arguments in an input: a tagged union, or an
// object in which one member names the method and the others are the argument.
func requestOf(input history.Value) (method string, args []history.Value) {
	if name, payload, ok := variant(input); ok {
		return name, argumentsOf(payload)
	}
	pairs := input.List()
	if input.Kind() != history.Map {
		return "", nil
	}
	var rest []history.Value
	for i := 0; i < len(pairs); i += 2 {
		switch strings.ToLower(pairs[i].Text()) {
		case "type", "op", "method", "operation", "f", "kind":
			if method == "" && pairs[i+1].Kind() == history.String {
				method = pairs[i+1].Text()
				continue
			}
		}
		if pairs[i+1].Kind() != history.Null {
			rest = append(rest, pairs[i], pairs[i+1])
		}
	}
	if len(rest) > 0 {
		m, _ := history.MapValue(rest...) // whose keys differ, as before
		args = []history.Value{m}
	}
	return method, args
}

// keyValueRequest reads a request to a key-value store: {"op":"put",
// "key":"k", "value":"v"} with {"value":"v"} or the value itself for output,
// or a simple one of etcd. It reports false for all others.
func keyValueRequest(r *intervalRecord) (inv history.Event, result history.Value, ok bool) {
	op, key, value := anyMember(r.input, requestNames...), anyMember(r.input, "key"), anyMember(r.input, "value")
	if key.Kind() == history.None {
		return etcdRequest(r)
	}
	name := strings.ToLower(op.Text())
	if op.Kind() == history.Int && 0 <= op.Int() && op.Int() < 3 {
		name = []string{"get", "put", "append"}[op.Int()] // porcupine's own example
	}
	word := dialectFor("kv", true).find(name)
	if word == nil || word.shape != blind && word.shape != answer || word.shape == blind && value.Kind() == history.None {
		return inv, result, false
	}
	inv = history.Event{Method: word.method, Args: []history.Value{key}}
	if word.shape == blind {
		inv.Args = append(inv.Args, value)
		return inv, history.NoValue, true
	}
	result = r.output
	if result.Kind() == history.Map {
		result = anyMember(result, "value", "result")
	}
	if result.Kind() == history.None {
		result = history.NullValue
	}
	return inv, result, true
}

// requestNames are the members that name the method of a request to a key-value store.
var requestNames = []string{"op", "type", "method", "f"}

// harmless are the members of such a request that identify it or its client, without
// '_' and '-' and in lower case.
var harmless = []string{"id", "client", "clientid", "clerk", "clerkid", "ckid", "cid", "session", "sessionid", "process",
	"seq", "seqno", "seqnum", "seqnumber", "sequence", "sequenceid", "sequencenumber", "serial", "serialid", "serialnumber",
	"opid", "operationid", "req", "reqid", "request", "requestid", "rid", "cmdid", "commandid", "msgid", "messageid",
	"traceid", "spanid"}

// strangeRequest returns the fault of a request to a key-value store that may be more
// than a get, put or append, because its input has members that are not known, as
// those of a conditional put, or because a put did not succeed.
func (d *jsonl) strangeRequest(r *intervalRecord) string {
	if anyMember(r.input, "key").Kind() == history.None { // of etcd
		return ""
	}
	var known []string
	for i, pairs := 0, r.input.List(); i < len(pairs); i += 2 {
		name := strings.ToLower(pairs[i].Text())
		role := name
		if slices.Contains(requestNames, name) {
			role = "op"
		}
		switch {
		case pairs[i+1].Kind() == history.Null && role != "key" && role != "value":
		case slices.Contains(harmless, strings.NewReplacer("_", "", "-", "").Replace(name)):
		case (role == "op" || role == "key" || role == "value") && !slices.Contains(known, role):
			known = append(known, role)
		default:
			return fmt.Sprintf("%s has the member %q, which is unknown: gets, puts and appends have op, key, value, and identifiers such as clientId and seq",
				d.m.named(mapInput), clip([]byte(pairs[i].Text())))
		}
	}
	inv, _, _ := keyValueRequest(r)
	for _, name := range []string{"ok", "success", "succeeded"} {
		v := anyMember(r.output, name)
		if v.Kind() == history.Bool && !v.Bool() && inv.Method != "get" && r.end == returned && len(d.m.conditions) == 0 && !d.m.has(mapStatus) {
			return fmt.Sprintf("%s has %s=false, which does not say whether the %s happened; a mapping can, with a condition such as: fail when %s.%s=false",
				d.m.named(mapOutput), name, inv.Method, d.m.paths[mapOutput], name)
		}
	}
	return ""
}

// isFault reports whether the member Err of an output, which may also hold the word of
// an outcome, means that it is unknown whether the operation happened.
func isFault(v history.Value) bool {
	return isSet(v) && !isWord(wordOf(v), "ok", "ErrNoKey")
}

// anyMember returns the first member of an object that has one of the names, ignoring
// case.
func anyMember(object history.Value, names ...string) history.Value {
	if object.Kind() != history.Map {
		return history.NoValue
	}
	for _, name := range names {
		pairs := object.List()
		for i := 0; i < len(pairs); i += 2 {
			if strings.EqualFold(pairs[i].Text(), name) {
				return pairs[i+1]
			}
		}
	}
	return history.NoValue
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
