package codec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// A mapping says at which paths of a record the parts of an operation are, and what
// the words there mean. See the package documentation for its notation.
type mapping struct {
	paths      [mapSize]string // "" if there is none
	types      map[string]history.EventType
	conditions []condition
	void       []string // methods without results
	model      string
	args       []history.Value
	tie        history.Tie
	zone       string            // of dates without one
	unit       string            // of durations without one
	stamps     string            // unit of stamps that are numbers
	parts      []string          // paths of the arguments, if args is a list of paths
	rename     map[string]string // methods, by their names in records
	records    string            // the kind of records, "" to detect it
	strings    bool              // numbers and booleans among arguments and results are strings
}

// A mapped is a name that a mapping gives a path.
type mapped uint8

const (
	mapProcess mapped = iota
	mapType
	mapStatus
	mapF
	mapArgs
	mapValue
	mapKey
	mapResult
	mapException
	mapOp
	mapAt
	mapCall
	mapReturn
	mapDuration
	mapInput
	mapOutput
	mapStart
	mapFinish
	mapSize
)

var mapNames = [mapSize]string{"process", "type", "status", "f", "args", "value", "key", "result", "exception", "op", "at",
	"call", "return", "duration", "input", "output", "start", "finish"}

// The shapes that need no mapping: etcd's robustness tests record operations
// with call and return, as porcupine has them; others streams of starts and
// finishes.
const (
	operationShape = "process=ClientId,input=Input,call=Call,output=Output,return=Return"
	startShape     = "process=client_id,op=op_id,start=event.Start,finish=event.Finish"
	jepsenShape    = "process=process,type=type,f=f,value=value,skip when process=nemesis|:nemesis"
)

// isJepsenRecord reports whether keys are those of an event of Jepsen in JSON.
func isJepsenRecord(keys []string) bool {
	return has(keys, "process") && has(keys, "type") && has(keys, "f")
}

// parseMapping parses a mapping in the notation of Options.Map. An error in one of several
// lines has the line.
func parseMapping(text string) (*mapping, error) {
	text = strings.TrimPrefix(text, string(byteOrderMark))
	lines := strings.Contains(text, "\n")
	fault := func(line int, err error) error {
		if lines {
			return &SyntaxError{File: "mapping", Line: line, Msg: err.Error()}
		}
		return fmt.Errorf("mapping: %w", err)
	}
	m, line := &mapping{types: map[string]history.EventType{}}, 0
	for entries := range strings.Lines(text) {
		line++
		if entries, _, _ = strings.Cut(" "+entries, " #"); strings.TrimSpace(entries) == "" {
			continue
		}
		for entry := range strings.SplitSeq(entries, ",") {
			if err := m.set(strings.TrimSpace(entry)); err != nil {
				return nil, fault(line, err)
			}
		}
	}
	if err := m.check(); err != nil {
		return nil, fault(line, err)
	}
	return m, nil
}

// eventWords are the names in a mapping for the types of events.
var eventWords = map[string]history.EventType{"invoke": history.Invoke, "ok": history.OK, "fail": history.Fail,
	"info": history.Info, "lost": history.Info}

// set adds one entry.
func (m *mapping) set(entry string) error {
	if name, tests, ok := strings.Cut(entry, " when "); ok {
		c, err := parseCondition(strings.TrimSpace(name), tests)
		m.conditions = append(m.conditions, c)
		return err
	}
	name, what, ok := strings.Cut(entry, "=")
	name, what = strings.TrimSpace(name), strings.TrimSpace(what)
	if !ok || name == "" || what == "" {
		return fmt.Errorf("%q is not NAME=PATH", clip([]byte(entry)))
	}
	if name == "method" {
		name = "f"
	}
	if typ, ok := eventWords[name]; ok {
		for _, w := range wordsOf(what) {
			m.types[w] = typ
		}
		return nil
	}
	switch name {
	case "model":
		return m.setModel(what)
	case "void":
		m.void = wordsOf(what)
		return nil
	case "tie":
		if m.tie = history.HalfOpen; what == "closed" {
			m.tie = history.Closed
		} else if what != "half-open" {
			return fmt.Errorf("tie is closed or half-open, not %q", clip([]byte(what)))
		}
		return nil
	case "values":
		if m.strings = what == "string"; !m.strings {
			return fmt.Errorf("values are string, not %q", clip([]byte(what)))
		}
		return nil
	case "zone":
		m.zone = what
		if _, fault := parseDate("2000-01-01T00:00:00"+what, ""); fault != "" {
			return fmt.Errorf("zone is Z or as +02:00, not %q", clip([]byte(what)))
		}
		return nil
	case "unit", "stamps":
		of := &m.unit
		if name == "stamps" {
			of = &m.stamps
		}
		*of = what
		if _, ok := durationUnits[what]; !ok {
			return fmt.Errorf("%s is s, ms, us or ns, not %q", name, clip([]byte(what)))
		}
		return nil
	case "rename":
		m.rename = map[string]string{}
		for _, pair := range wordsOf(what) {
			from, to, ok := strings.Cut(pair, ":")
			if m.rename[from] = to; !ok || to == "" {
				return fmt.Errorf("rename is WORD:METHOD|..., not %q", clip([]byte(what)))
			}
		}
		return nil
	case "records":
		m.records = what
		if !slices.Contains(recordKinds, what) {
			return fmt.Errorf("records are %s, not %q", strings.Join(recordKinds, ", "), clip([]byte(what)))
		}
		return nil
	}
	i := slices.Index(mapNames[:], name)
	switch {
	case i < 0:
		return fmt.Errorf("unknown name %q; known are %s, and invoke, ok, fail, lost, void, values, model, tie, zone, unit, stamps, rename, records",
			clip([]byte(name)), strings.Join(mapNames[:], ", "))
	case m.paths[i] != "":
		return fmt.Errorf("%s is given twice", name)
	}
	m.paths[i] = what
	if list, ok := strings.CutPrefix(what, "["); ok && mapped(i) == mapArgs && strings.HasSuffix(list, "]") {
		m.parts = strings.Fields(strings.TrimSuffix(list, "]"))
	}
	return nil
}

// method returns the name of a method that record has.
func (m *mapping) method(name string) string { return cmp.Or(m.rename[name], name) }

// wordsOf splits WORD|WORD and trims blanks around words. A word may be empty.
func wordsOf(text string) []string {
	words := strings.Split(text, "|")
	for i, w := range words {
		words[i] = strings.TrimSpace(w)
	}
	return words
}

// setModel parses NAME or NAME:ARGUMENT. An argument that history.ParseValue cannot
// parse is a string.
func (m *mapping) setModel(text string) error {
	name, arg, ok := strings.Cut(text, ":")
	m.model, m.args = name, nil
	if !ok {
		return nil
	}
	v, err := history.ParseValue(arg)
	if err != nil {
		v = history.StringValue(arg)
	}
	m.args = []history.Value{v}
	return nil
}

func (m *mapping) has(names ...mapped) bool {
	for _, f := range names {
		if m.paths[f] == "" {
			return false
		}
	}
	return true
}

// hasWordsFor reports whether an entry lists words for a type of events.
func (m *mapping) hasWordsFor(typ history.EventType) bool {
	for _, t := range m.types {
		if t == typ {
			return true
		}
	}
	return false
}

// hasSpans reports whether records are whole operations with stamps.
func (m *mapping) hasSpans() bool { return m.has(mapCall) || m.has(mapDuration) }

// check returns an error unless the entries fit one of the ways of recording.
func (m *mapping) check() error {
	intervals, unions, events := m.hasSpans(), m.has(mapStart), m.has(mapType)
	spans := 0
	for _, f := range []mapped{mapCall, mapReturn, mapDuration} {
		if m.has(f) {
			spans++
		}
	}
	ways := 0
	for _, way := range []bool{intervals, unions, events} {
		if way {
			ways++
		}
	}
	ended := m.has(mapStatus) || slices.ContainsFunc(m.conditions, func(c condition) bool { return c.then != skipRecord })
	switch {
	case ways != 1:
		return fmt.Errorf("exactly one of type, call and start is needed: events with a type, operations with call and return or duration, or starts and finishes")
	case intervals && spans != 2, unions && !m.has(mapFinish):
		return fmt.Errorf("call goes with return, or one of them with duration, and start with finish")
	case !intervals && !m.has(mapProcess) && !m.has(mapOp):
		return fmt.Errorf("process or op is needed")
	case !unions && !m.has(mapF) && (!intervals || !m.has(mapInput)):
		return fmt.Errorf("f is needed: what is done")
	case m.has(mapInput) && (!intervals || m.has(mapValue) || m.has(mapArgs) || m.has(mapResult)):
		return fmt.Errorf("input and output go with call and return, and exclude args, result and value")
	case m.has(mapValue) && (m.has(mapArgs) || m.has(mapResult) || m.has(mapException) || m.void != nil):
		return fmt.Errorf("value, which is both argument and result, excludes args, result, exception and void")
	case unions && slices.ContainsFunc([]mapped{mapF, mapArgs, mapValue, mapKey, mapResult, mapException}, func(f mapped) bool { return m.has(f) }):
		return fmt.Errorf("start and finish have the method, its arguments and its result, and exclude f, args, value, key, result and exception")
	case m.has(mapInput) && (m.has(mapF) || m.has(mapKey) || m.has(mapException)):
		return fmt.Errorf("input and output have the method, its arguments and its result, and exclude f, key and exception")
	case m.has(mapAt) && !m.has(mapOp):
		return fmt.Errorf("at goes with op: events ordered by stamps need identifiers")
	case m.has(mapAt) && intervals:
		return fmt.Errorf("at is the stamp of an event; operations have call and return")
	case m.strings && (unions || m.has(mapInput)):
		return fmt.Errorf("values goes with args, result, key and value, and not with input, or start and finish")
	case len(m.types) > 0 && !m.has(mapType) && !m.has(mapStatus):
		return fmt.Errorf("invoke, ok, fail and lost list the words of type and status, and the mapping has neither")
	case !m.has(mapType) && m.hasWordsFor(history.Invoke):
		return fmt.Errorf("invoke lists words of type, and the mapping has no type")
	case unions && ended:
		return fmt.Errorf("the name of a finish is its outcome: start and finish exclude status, and conditions other than skip")
	}
	return nil
}

// allPaths returns the paths of the entries and the conditions.
func (m *mapping) allPaths() []string {
	paths := slices.Clone(m.paths[:])
	if m.parts != nil {
		paths[mapArgs] = ""
	}
	paths = slices.DeleteFunc(append(paths, m.parts...), func(path string) bool { return path == "" })
	for _, c := range m.conditions {
		for _, t := range c.tests {
			paths = append(paths, t.path)
		}
	}
	return paths
}

// find returns what record has at the path of a field, or None.
func (m *mapping) find(record history.Value, f mapped) history.Value {
	if m.paths[f] == "" {
		return history.NoValue
	}
	return at(record, m.paths[f])
}

// value is find for an argument or a result.
func (m *mapping) value(record history.Value, f mapped) history.Value {
	v := m.find(record, f)
	if m.strings {
		v = asString(v)
	}
	return v
}

// partsOf appends to args what record has at the paths of the arguments, or None.
func (m *mapping) partsOf(record history.Value, args []history.Value) []history.Value {
	for _, path := range m.parts {
		v := at(record, path)
		if m.strings {
			v = asString(v)
		}
		args = append(args, v)
	}
	return args
}

// dropAbsent removes the arguments that are absent, and those that are null in all records
// of their method.
func dropAbsent(h *history.History) {
	type place struct {
		method string
		i      int
	}
	used := map[place]bool{}
	for i := range int32(len(h.Ops) + len(h.Ghosts)) {
		op := h.Operation(i)
		for k, v := range op.Args {
			if v.Kind() != history.None && v.Kind() != history.Null {
				used[place{op.Method, k}] = true
			}
		}
	}
	for i := range int32(len(h.Ops) + len(h.Ghosts)) {
		op, kept := h.Operation(i), []history.Value(nil)
		for k, v := range op.Args {
			if v.Kind() != history.None && used[place{op.Method, k}] {
				kept = append(kept, v)
			}
		}
		op.Args = kept
	}
}

// asString replaces the numbers and booleans in v by strings.
func asString(v history.Value) history.Value {
	switch v.Kind() {
	case history.Bool, history.Int, history.Float:
		return history.StringValue(v.String())
	case history.List:
		list := slices.Clone(v.List())
		for i := range list {
			list[i] = asString(list[i])
		}
		return history.ListValue(list...)
	case history.Map:
		pairs := slices.Clone(v.List())
		for i := 1; i < len(pairs); i += 2 {
			pairs[i] = asString(pairs[i])
		}
		m, _ := history.MapValue(pairs...) // whose keys are as before
		return m
	}
	return v
}

// named returns the name of a field for a message, with its path if that differs.
func (m *mapping) named(f mapped) string {
	if name := mapNames[f]; m.paths[f] != name {
		return name + " (" + m.paths[f] + ")"
	}
	return mapNames[f]
}

// wrongKind returns the fault of a field that is v instead of what want says.
func wrongKind(v history.Value, want string) string {
	if v.Kind() == history.None {
		return "is missing"
	}
	return fmt.Sprintf("is %s, not %s", want, describe(v))
}

// unknownWord returns the fault of a type or status that is not a known word.
func (m *mapping) unknownWord(f mapped, v history.Value, example string) string {
	if v.Kind() == history.None {
		return m.named(f) + " is missing"
	}
	return fmt.Sprintf("%s cannot be %s; the mapping lists other words, as in %s", m.named(f), describe(v), example)
}

// at returns what is at a path: a.b is the key "a.b", or else the key b of what is
// at a. If a path can be split in several ways, the shortest first key that leads to
// something counts. The keys of a list are the numbers of its elements, from 0.
func at(v history.Value, path string) history.Value { return locate(v, path, nil) }

// locate is at. Unless keys is nil, it appends to it the keys on the way, the last one
// first.
func locate(v history.Value, path string, keys *[]string) history.Value {
	if k := v.Kind(); k != history.Map && k != history.List {
		return history.NoValue
	}
	found, first := member(v, path), path
	for i := 0; i < len(path) && found.Kind() == history.None; i++ {
		if first = path[:i]; path[i] == '.' {
			found = locate(member(v, first), path[i+1:], keys)
		}
	}
	if keys != nil && found.Kind() != history.None {
		*keys = append(*keys, first)
	}
	return found
}

// written returns the text of the number at a path of the last record of source.
func written(source records, record history.Value, path string) string {
	var keys []string
	locate(record, path, &keys)
	slices.Reverse(keys)
	return source.number(keys)
}

// member returns the value of a key of an object or list, or None.
func member(object history.Value, key string) history.Value {
	list := object.List()
	switch object.Kind() {
	case history.Map:
		for i := 0; i < len(list); i += 2 {
			if list[i].Text() == key {
				return list[i+1]
			}
		}
	case history.List:
		if i := listIndex(key); i >= 0 && i < len(list) {
			return list[i]
		}
	}
	return history.NoValue
}

// listIndex returns the number of an element, or -1.
func listIndex(key string) int {
	n := 0
	for i := range len(key) {
		if key[i] < '0' || key[i] > '9' || i == 6 {
			return -1
		}
		n = 10*n + int(key[i]-'0')
	}
	if key == "" {
		return -1
	}
	return n
}
