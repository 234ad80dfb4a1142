package records

import (
	"errors"
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/scan"
)

// An environment is what expressions see of a record: the fields that they name.
type environment struct {
	record    int            // its number
	line      any            // of the record, if an expression names it
	text      string         // of the record, if namesText is set
	values    map[string]any // what the machine sees of the record: values by key of a field
	filled    int            // the record of values
	fields    map[string]*recordField
	named     []*recordField  // those that expressions name
	recent    [64]recentField // by hash of the name
	unseen    []fieldPath     // that no record has had
	names     []string        // of fields of records, while some are unseen
	seeks     bool            // fields are noted that may say that an operation failed
	failures  []*recordField  // those that no expression has
	pool      *scan.Pool      // of values of the history
	texts     []any           // strings, by hash; nil: none are kept
	namesText bool            // some expression names $text
	every     bool            // fields that are not named are read as well
	order     []*recordField  // fields in the order of their first occurrence, if every is set
	// The objects of a record last until the next one; those up to used are in use.
	objects []map[string]any
	used    int
	stack   []any // elements of the lists that are being read
	// room is how many more values expressions may make of the record. A small expression
	// may have a list many times, and its elements too.
	room int
	work int // that the expression may still do
}

// notedFields is how many fields that no expression names are noted for messages.
const notedFields = 200

// boxedTexts is how many recent strings are not made again. A power of two.
const boxedTexts = 4096

// A recentField is what field returned for a name.
type recentField struct {
	isSet bool
	name  string
	field *recordField
}

// newEnvironment returns an environment for a stream. Its fields are copies, to which the
// stream adds some.
func newEnvironment(m *mapping, pool *scan.Pool) *environment {
	e := &environment{pool: pool, texts: make([]any, boxedTexts), values: map[string]any{}, fields: make(map[string]*recordField, len(m.fields)), unseen: slices.Clone(m.paths), namesText: m.namesText}
	for name, f := range m.fields {
		own := *f
		e.fields[name] = &own
		e.named = append(e.named, &own)
	}
	e.values[workKey] = &e.work
	return e
}

// notePaths notes which paths the record has.
func (e *environment) notePaths() {
	for i := range e.unseen {
		e.unseen[i].note(e)
	}
	e.unseen = slices.DeleteFunc(e.unseen, func(p fieldPath) bool { return p.seen })
}

// begin forgets the last record.
func (e *environment) begin() {
	e.record++
	for _, object := range e.objects[:e.used] {
		clear(object)
	}
	e.used = 0
}

// object returns an empty object for the record.
func (e *environment) object() map[string]any {
	if e.used == len(e.objects) {
		e.objects = append(e.objects, map[string]any{})
	}
	e.used++
	return e.objects[e.used-1]
}

// field returns the field with a name, or nil if no expression names it.
func (e *environment) field(name []byte) *recordField {
	recent := &e.recent[scan.Hash(name)%uint64(len(e.recent))]
	if recent.isSet && recent.name == string(name) {
		return recent.field
	}
	f, known := e.fields[string(name)]
	if len(e.unseen) > 0 && len(e.names) < notedFields && !slices.Contains(e.names, string(name)) {
		e.names = append(e.names, string(name))
	}
	if !known && e.seeks && len(e.fields) < notedFields {
		if mayTellFailure(string(name)) {
			f = newRecordField(string(name))
			f.plain = true
			e.failures = append(e.failures, f)
		}
		e.fields[string(name)] = f // so that a name is examined once
	}
	switch {
	case f == nil && e.every:
		f = newRecordField(string(name))
		f.plain = true
		e.fields[f.name] = f
		e.order = append(e.order, f)
	case !e.every && !recent.isSet:
		*recent = recentField{true, string(name), f}
	}
	return f
}

// forget forgets the fields that no expression names.
func (e *environment) forget() {
	for _, f := range e.order {
		delete(e.fields, f.name)
	}
	e.order = nil
}

// has reports whether the record has the field.
func (e *environment) has(f *recordField) bool { return f.record == e.record }

// value returns one of the values of a field, or nil if the record does not have it.
func (e *environment) value(f *recordField, exact bool) any {
	switch {
	case f.record != e.record:
		return nil
	case exact:
		return f.exactValue
	}
	return f.plainValue
}

// forMachine returns the values of the record by the keys that expressions name.
func (e *environment) forMachine() map[string]any {
	if e.filled == e.record {
		return e.values
	}
	e.filled = e.record
	if e.line != nil {
		e.values["$line"] = e.line
	}
	if e.namesText {
		e.values["$text"] = e.text
	}
	for _, f := range e.named {
		if f.plain {
			e.values[f.plainKey] = e.value(f, false)
		}
		if f.exact {
			e.values[f.exactKey] = e.value(f, true)
		}
	}
	return e.values
}

// setText sets a field to the value of a text.
func (e *environment) setText(f *recordField, text string, quoted bool) {
	f.record = e.record
	if f.plain {
		f.plainValue = e.ofText(text, quoted, false)
	}
	if f.exact {
		f.exactValue = e.ofText(text, quoted, true)
	}
}

// parse reads a value in JSON. With exact set, numbers with fractions are decimals.
func (e *environment) parse(s *scan.Scanner, exact bool) any {
	switch c := s.Peek(); c {
	case '"':
		return e.stringOf(s.Text())
	case '[':
		base := len(e.stack)
		for more := s.Begin('[', ']'); more; more = s.More(']') {
			v := e.parse(s, exact)
			e.stack = append(e.stack, v)
		}
		list := append(make([]any, 0, len(e.stack)-base), e.stack[base:]...)
		clear(e.stack[base:])
		e.stack = e.stack[:base]
		return list
	case '{':
		object := e.object()
		for more := s.Begin('{', '}'); more; more = s.More('}') {
			at, key := s.Pos, e.stringOf(s.Key()).(string)
			if _, twice := object[key]; twice {
				s.Fail(at, "the key %q occurs twice", scan.Clip([]byte(key)))
			}
			object[key] = e.parse(s, exact)
		}
		return object
	default:
		start := s.Pos
		switch v := s.Value(false); v.Kind() {
		case history.Int:
			return int(v.Int())
		case history.Float:
			if exact {
				return decimal(s.Data[start:s.Pos])
			}
			return v.Float()
		case history.Bool:
			return v.Bool()
		case history.String: // an integer of more than 64 bits
			return v.Text()
		}
		return nil
	}
}

// stringOf returns a string.
func (e *environment) stringOf(b []byte) any {
	if len(b) > scan.LongestText || e.texts == nil {
		return string(b)
	}
	slot := &e.texts[scan.Hash(b)&(boxedTexts-1)]
	if s, ok := (*slot).(string); !ok || s != string(b) {
		*slot = string(b)
	}
	return *slot
}

// ofText returns the value of a cell, or of a value in logfmt: an integer, a float if it
// is written as leadline writes it, true, false, a list or an object in JSON, or else a
// string. Different texts have different values, except for lists and objects. An empty
// text, null, nil and <nil> are nil. What is quoted is a string.
func (e *environment) ofText(text string, quoted, exact bool) any {
	switch {
	case quoted:
		return e.stringOf([]byte(text))
	case text == "" || text == "null" || text == "nil" || text == "<nil>":
		return nil
	case text == "true" || text == "false":
		return text == "true"
	}
	switch c := text[0]; {
	case c == '-' || '0' <= c && c <= '9':
		if n, ok := scan.PlainInt([]byte(text)); ok {
			return int(n)
		}
		if exact {
			return text
		}
		if f, ok := history.ParseFloat(text); ok && string(scan.AppendFloat(nil, f)) == text {
			return f
		}
	case c == '[' || c == '{':
		s := scan.Scanner{Data: []byte(text), Pool: e.pool, Wide: true}
		if v := e.parse(&s, exact); s.End() {
			return v
		}
	}
	return e.stringOf([]byte(text))
}

// valueOf returns the value of the history that the result of an expression means.
func (e *environment) valueOf(x any) (history.Value, error) {
	if e.room--; e.room < 0 {
		return history.NoValue, errors.New("memory budget exceeded: the expression has too many values")
	}
	switch x := x.(type) {
	case nil:
		return history.NullValue, nil
	case string:
		return e.pool.Text([]byte(x)), nil
	case int:
		return history.IntValue(int64(x)), nil
	case decimal:
		return e.pool.Text([]byte(x)), nil
	case bool:
		return history.BoolValue(x), nil
	case float64:
		return history.FloatValue(x), nil
	case history.Value:
		return x, nil
	case map[string]any:
		var pairs []history.Value
		for key, v := range x {
			value, err := e.valueOf(v)
			if err != nil {
				return history.NoValue, err
			}
			pairs = append(pairs, e.pool.Text([]byte(key)), value)
		}
		m, _ := e.pool.NewMap(pairs) // whose keys differ
		return m, nil
	}
	if elements, ok := elementsOf(x); ok {
		list, err := e.valuesOf(elements)
		if len(list) == 0 {
			return scan.EmptyList, err
		}
		e.pool.Made += scan.PartBytes
		return history.ListValue(list...), err
	}
	return history.NoValue, fmt.Errorf("%v is not a value of a history", x)
}

// valuesOf returns values that live as long as the history.
func (e *environment) valuesOf(list []any) ([]history.Value, error) {
	values := e.pool.Room(len(list))
	for i, x := range list {
		v, err := e.valueOf(x)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}
