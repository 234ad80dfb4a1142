package codec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// addRequest gives an operation to the Builder whose input says what is done.
func (d *jsonl) addRequest(r *intervalRecord) {
	method, args, result, fault := "", []history.Value(nil), r.output, ""
	if name, member := methodOf(r.input); name != "" {
		method = name
		args, fault = d.requestArguments(r.input, member)
		if fault == "" && r.end == returned {
			result, fault = d.requestResult(r.output)
		}
	} else if name, payload, ok := variant(r.input); ok {
		method, args = name, argumentsOf(payload)
	} else {
		fault = "the input does not say what is done, by Type, Op, Method or a single key"
	}
	if fault != "" {
		d.words.b.Errorf(r.line, "%s", fault)
		return
	}
	isVoid := slices.Contains(d.m.void, method)
	if isVoid || r.output.Kind() == history.Null && r.end != returnedNull && d.m.void == nil {
		result = history.NoValue
	}
	r.add(d.words.b, method, args, result)
}

// methodOf returns the method that a member of an input names, and the index of that
// member, or "".
func methodOf(input history.Value) (method string, index int) {
	if input.Kind() != history.Map {
		return "", 0
	}
	pairs := input.List()
	for i := 0; i < len(pairs); i += 2 {
		switch strings.ToLower(pairs[i].Text()) {
		case "type", "op", "method", "operation", "f", "kind":
			if pairs[i+1].Kind() == history.String && pairs[i+1].Text() != "" {
				return pairs[i+1].Text(), i
			}
		}
	}
	return "", 0
}

// requestArguments returns the arguments in an input in which a member, that with the
// index method, names the method: what a single other member has, or a key and a value.
// Identifiers beside them do not count. The fault of others names them.
func (d *jsonl) requestArguments(input history.Value, method int) (args []history.Value, fault string) {
	var members []int // of pairs
	pairs := input.List()
	for _, all := range []bool{true, false} {
		members = members[:0]
		for i := 0; i < len(pairs); i += 2 {
			if i != method && pairs[i+1].Kind() != history.Null && (all || !isHarmless(pairs[i].Text())) {
				members = append(members, i)
			}
		}
		if len(members) < 2 {
			break
		}
	}
	if len(members) == 0 {
		return nil, ""
	}
	first, last := members[0], members[len(members)-1]
	if strings.EqualFold(pairs[last].Text(), "key") {
		first, last = last, first
	}
	switch {
	case first == last && isWord(pairs[first].Text(), "args", "arguments"):
		return argumentsOf(pairs[first+1]), ""
	case first == last:
		return []history.Value{pairs[first+1]}, ""
	case len(members) == 2 && strings.EqualFold(pairs[first].Text(), "key") && strings.EqualFold(pairs[last].Text(), "value"):
		return []history.Value{pairs[first+1], pairs[last+1]}, ""
	}
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = clip([]byte(pairs[m].Text()))
	}
	return nil, fmt.Sprintf("%s has the members %s, which may be arguments or not; %s",
		d.m.named(mapInput), strings.Join(names, ", "), d.requestMapping())
}

// requestMapping returns a hint for inputs and outputs with other members.
func (d *jsonl) requestMapping() string {
	in, out := d.m.paths[mapInput], d.m.paths[mapOutput]
	return fmt.Sprintf("a mapping says what is what, as in f=%s.op,args=%s.value,result=%s.value in place of input and output", in, in, out)
}

// requestResult returns the result in an output: the output itself, or in an object,
// the member for the value. Identifiers, and flags and errors that say that
// all went well, may be beside it. The fault of another member names it.
func (d *jsonl) requestResult(output history.Value) (result history.Value, fault string) {
	a := outputPartsOf(output)
	switch {
	case a.failed != "":
		return output, d.failedAnswer(a.failed, "what was returned", "null")
	case a.value.Kind() != history.None && a.other != "":
		return output, fmt.Sprintf("%s has the member %q beside the value; %s", d.m.named(mapOutput), clip([]byte(a.other)), d.requestMapping())
	case a.value.Kind() != history.None:
		return a.value, ""
	case a.flag.Kind() != history.None && a.other == "":
		return a.flag, ""
	}
	return output, ""
}

// failedAnswer returns the fault of a flag that is false, so that something is unclear.
func (d *jsonl) failedAnswer(flag, unclear, then string) string {
	return fmt.Sprintf("%s has %s=false, which does not say %s; a mapping can, with a condition such as: %s when %s.%s=false",
		d.m.named(mapOutput), clip([]byte(flag)), unclear, then, d.m.paths[mapOutput], clip([]byte(flag)))
}

// outputParts is what the members of an output say. The zero value is that of an output
// that is not an object.
type outputParts struct {
	value  history.Value // of the member value or result
	flag   history.Value // a flag by which all went well
	failed string        // the first flag that is false
	other  string        // the last member that is neither of these, nor an identifier or error
}

func outputPartsOf(output history.Value) (a outputParts) {
	if output.Kind() != history.Map {
		return a
	}
	pairs := output.List()
	for i := 0; i < len(pairs); i += 2 {
		name, v := pairs[i].Text(), pairs[i+1]
		switch {
		case isWord(name, "value", "result") && a.value.Kind() == history.None:
			a.value = v
		case isWord(name, "ok", "success", "succeeded", "found", "exists") && v.Kind() == history.Bool:
			if a.flag = v; !v.Bool() && a.failed == "" {
				a.failed = name
			}
		case v.Kind() == history.Null, isHarmless(name), isWord(name, "err", "error") && !isFault(v):
		default:
			a.other = name
		}
	}
	return a
}

// asksKeyValue reports whether an operation is a get that returned.
func asksKeyValue(r intervalRecord) bool {
	inv, _, ok := keyValueRequest(&r)
	return ok && inv.Method == "get" && r.end != lost
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
	if found := anyMember(result, "found", "exists"); found.Kind() == history.Bool && !found.Bool() {
		result = history.NullValue
	}
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

// isHarmless reports whether a member identifies a request or its client.
func isHarmless(name string) bool {
	return slices.Contains(harmless, strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name)))
}

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
		case isHarmless(name):
		case (role == "op" || role == "key" || role == "value") && !slices.Contains(known, role):
			known = append(known, role)
		default:
			return fmt.Sprintf("%s has the member %q, which is unknown: gets, puts and appends have op, key, value, and identifiers such as clientId and seq",
				d.m.named(mapInput), clip([]byte(pairs[i].Text())))
		}
	}
	if r.end != returned || len(d.m.conditions) > 0 || d.m.has(mapStatus) {
		return ""
	}
	inv, _, _ := keyValueRequest(r)
	switch a := outputPartsOf(r.output); {
	case a.failed == "" || isWord(a.failed, "found", "exists") && inv.Method == "get":
		if inv.Method == "get" && a.value.Kind() == history.None && a.other != "" {
			return fmt.Sprintf("%s has the member %q, and neither value nor result; %s", d.m.named(mapOutput), clip([]byte(a.other)), d.requestMapping())
		}
		return ""
	case inv.Method == "get":
		return d.failedAnswer(a.failed, "whether the key is missing", "null")
	default:
		return d.failedAnswer(a.failed, "whether the "+inv.Method+" happened", "fail")
	}
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
