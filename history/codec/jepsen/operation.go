package jepsen

import (
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// readMap reads the map of an operation into d.ev, without making a Value of it.
// It ignores faults in the values of ignored keys.
func (d *ednOperations) readMap() (fault string) {
	e := d.edn
	d.ev = wordEvent{value: history.NullValue}
	base, isKnown := len(e.stack), true
	var key mapKey
	if !e.enter() {
		return ""
	}
	e.next()
	for c, ok := e.more('}'); ok; c, ok = e.more('}') {
		n := len(e.stack) - base
		if n%2 == 0 {
			if key, ok = d.knownKey(c, n/2); !ok {
				key, isKnown = d.newKey(c, n/2), false
			}
			e.stack = append(e.stack, key.value)
			continue
		}
		problem := e.problem
		var v history.Value
		if c == '[' && d.format == EDNName && key.value.Text() == ":value" {
			v = d.pair()
		} else {
			v = e.form(c)
		}
		if !key.matters {
			e.problem = problem
		}
		e.stack = append(e.stack, v)
	}
	pairs := e.stack[base:]
	e.stack = e.stack[:base]
	if !e.even(pairs) {
		return ""
	}
	if !isKnown && hasKeyTwice(pairs) {
		d.keys = d.keys[:0]
		e.wrong("a key occurs twice in one map")
		return ""
	}
	return d.fromMap(pairs)
}

// knownKey reads the n-th key of a map, which begins with c, if it is the same as in the last
// map of another shape.
func (d *ednOperations) knownKey(c byte, n int) (key mapKey, ok bool) {
	if c != ':' || n >= len(d.keys) {
		return key, false
	}
	e := d.edn
	key = d.keys[n]
	text, rest := key.value.Text(), e.Unread()
	if len(rest) <= len(text) || string(rest[:len(text)]) != text || !isDelimiter(rest[len(text)]) {
		return key, false
	}
	e.pass(len(text))
	return key, true
}

// newKey reads the n-th key of a map, which begins with c, and notes it.
func (d *ednOperations) newKey(c byte, n int) mapKey {
	v := d.edn.form(c)
	key := mapKey{v, slices.Contains(operationKeys, v.Text())}
	if n <= len(d.keys) {
		if d.keys = d.keys[:n]; c == ':' && !d.edn.failed() {
			d.keys = append(d.keys, key)
		}
	}
	return key
}

// pair reads a vector that is the value of an operation. If it has two elements, as in
// independent tests, pair makes no list of them. It sets d.ev.key to the first, and
// returns the second.
func (d *ednOperations) pair() history.Value {
	e := d.edn
	base := e.elements(']')
	if len(e.stack) != base+2 || e.failed() {
		return e.take(base)
	}
	value := e.stack[base+1]
	d.ev.key, d.ev.paired = e.stack[base], true
	e.stack = e.stack[:base]
	return value
}

// hasKeyTwice reports whether a key of a map occurs twice. It may change the
// order of pairs.
func hasKeyTwice(pairs []history.Value) bool {
	if len(pairs) > 32 {
		_, ok := history.MapValue(pairs...)
		return !ok
	}
	for i := 2; i < len(pairs); i += 2 {
		for k := 0; k < i; k += 2 {
			if pairs[i].Equal(pairs[k]) {
				return true
			}
		}
	}
	return false
}

var operationKeys = []string{":process", ":type", ":f", ":value", ":key"}

// fromMap reads {:process 1, :type :invoke, :f :read, :value nil}. Other keys
// are ignored, except :key: a key-value log has it, others must not.
func (d *ednOperations) fromMap(pairs []history.Value) (fault string) {
	ev := &d.ev
	typ, f, keyed := history.NoValue, history.NoValue, false
	for i := 0; i < len(pairs); i += 2 {
		v := pairs[i+1]
		switch pairs[i].Text() {
		case ":process":
			ev.process = v
		case ":type":
			typ = v
		case ":f":
			f = v
		case ":value":
			ev.value = v
		case ":index":
			ev.index = v
		case ":time":
			ev.time = v
		case ":key":
			if keyed = true; d.format == KVName {
				ev.key = v
			}
		}
	}
	if keyed && d.format != KVName {
		return "an operation with :key in a history without keys; in format kv all operations have one"
	}
	return setWords(ev, typ, f)
}

// fromTuple reads [process type f value].
func (d *ednOperations) fromTuple(v []history.Value) (fault string) {
	ev := &d.ev
	*ev = wordEvent{value: history.NullValue}
	if len(v) < 3 || len(v) > 4 {
		return "an operation is a map or a tuple [process type f value]"
	}
	ev.process = v[0]
	if len(v) == 4 {
		ev.value = v[3]
	}
	return setWords(ev, v[1], v[2])
}

// setWords sets the type and the word of an event from its keywords.
func setWords(ev *wordEvent, typ, f history.Value) (fault string) {
	switch {
	case ev.process.Kind() == history.None:
		return "an operation without :process"
	case f.Kind() != history.String:
		return "an operation without a keyword for :f"
	}
	ev.f = strings.TrimPrefix(f.Text(), ":")
	var ok bool
	if ev.typ, ok = eventType(strings.TrimPrefix(typ.Text(), ":")); !ok {
		return ":type is :invoke, :ok, :fail or :info, not " + typ.String()
	}
	return ""
}

// eventType returns the event type for a word of Jepsen.
func eventType(word string) (history.EventType, bool) {
	t, ok := history.ParseEventType(word)
	return t, ok && t <= history.Info
}
