package codec

import (
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
	zone       string // of dates without one
	unit       string // of durations without one
	records    string // the kind of records, "" to detect it
	strings    bool   // numbers and booleans among arguments and results are strings
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
	case "unit":
		m.unit = what
		if _, ok := durationUnits[what]; !ok {
			return fmt.Errorf("unit is s, ms, us or ns, not %q", clip([]byte(what)))
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
		return fmt.Errorf("unknown name %q; known are %s, and invoke, ok, fail, lost, void, values, model, tie, zone, unit, records",
			clip([]byte(name)), strings.Join(mapNames[:], ", "))
	case m.paths[i] != "":
		return fmt.Errorf("%s is given twice", name)
	}
	m.paths[i] = what
	return nil
}

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
	paths := slices.DeleteFunc(slices.Clone(m.paths[:]), func(path string) bool { return path == "" })
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

// A condition says what a record means if all tests hold.
type condition struct {
	then  ending
	tests []test
}

// A test is PATH=WORD|..., PATH!=WORD|... or PATH, which holds if there is something
// other than null, false, 0 and "".
type test struct {
	path   string
	words  []string // nil: any
	differ bool
}

// An ending is what a record means: how an operation ended, or that it is an
// invocation, or that it is not about an operation.
type ending uint8

const (
	noEnding ending = iota
	began
	returned
	returnedNull    // it returned null
	returnedUnknown // its result was not recorded
	failed          // it did not happen
	lost
	skipRecord
)

var endings = map[string]ending{"invoke": began, "ok": returned, "null": returnedNull, "unknown": returnedUnknown,
	"fail": failed, "info": lost, "lost": lost, "skip": skipRecord}

func parseCondition(name, tests string) (c condition, err error) {
	c.then = endings[name]
	if c.then == noEnding {
		return c, fmt.Errorf("%q: a condition begins with ok, null, unknown, fail, lost, invoke or skip", clip([]byte(name)))
	}
	for text := range strings.SplitSeq(tests+" ", " and ") {
		var t test
		path, words, some := strings.Cut(text, "=")
		path, t.differ = strings.CutSuffix(path, "!")
		if t.path = strings.TrimSpace(path); t.path == "" {
			return c, fmt.Errorf("%q is not PATH=WORD|WORD, PATH!=WORD or PATH", clip([]byte(text)))
		}
		if some {
			t.words = wordsOf(words)
		}
		c.tests = append(c.tests, t)
	}
	return c, nil
}

func (c *condition) holds(record history.Value) bool {
	return !slices.ContainsFunc(c.tests, func(t test) bool { return !t.holds(record) })
}

func (t *test) holds(record history.Value) bool {
	v := at(record, t.path)
	if t.words == nil {
		return isSet(v)
	}
	return slices.Contains(t.words, wordOf(v)) != t.differ
}

// isSet reports whether v is something other than none, null, false, 0 and "".
func isSet(v history.Value) bool {
	switch v.Kind() {
	case history.None, history.Null:
		return false
	}
	return !slices.Contains([]string{"", "false", "0"}, wordOf(v))
}

// wordOf returns v as a word of a condition; None is "".
func wordOf(v history.Value) string {
	switch v.Kind() {
	case history.None:
		return ""
	case history.String:
		return v.Text()
	}
	return v.String()
}

// typeWords are the usual names of the types of events.
var typeWords = map[string]history.EventType{
	"invoke": history.Invoke, "invocation": history.Invoke, "call": history.Invoke, "start": history.Invoke,
	"begin": history.Invoke, "request": history.Invoke,
	"ok": history.OK, "return": history.OK, "response": history.OK, "finish": history.OK, "end": history.OK,
	"success": history.OK, "complete": history.OK,
	"fail": history.Fail, "failed": history.Fail, "failure": history.Fail,
	"info": history.Info, "timeout": history.Info, "unknown": history.Info, "pending": history.Info,
}

// eventType returns the type that v, a word, stands for.
func (m *mapping) eventType(v history.Value) (history.EventType, bool) {
	name := strings.TrimPrefix(wordOf(v), ":")
	if t, ok := m.types[name]; ok {
		return t, true
	}
	t, ok := typeWords[strings.ToLower(name)]
	return t, ok
}

// meets returns the ending of the first condition that holds, or noEnding.
func (m *mapping) meets(record history.Value) ending {
	for i := range m.conditions {
		if c := &m.conditions[i]; c.holds(record) {
			return c.then
		}
	}
	return noEnding
}

// states reports whether a condition or the status says how the operation of a
// record ended.
func (m *mapping) states(record history.Value) bool {
	return len(m.conditions) > 0 && m.meets(record) != noEnding || m.has(mapStatus) && m.find(record, mapStatus).Kind() != history.None
}

// endingOf returns the ending for an event type.
func endingOf(t history.EventType) ending {
	return [...]ending{history.Invoke: began, history.OK: returned, history.Fail: failed, history.Info: lost}[t]
}

// ending returns what a record means. It uses the first of these that applies:
// conditions for skip and invoke, a type that is an invocation, other conditions, a
// type that is not "ok", the status.
func (m *mapping) ending(record history.Value) (e ending, fault string) {
	met := m.meets(record)
	byType := noEnding
	if m.has(mapType) && met != skipRecord {
		word := m.find(record, mapType)
		switch t, ok := m.eventType(word); {
		case ok:
			byType = endingOf(t)
		case met == noEnding:
			return 0, m.unknownWord(mapType, word, "invoke=asked,ok=done")
		}
	}
	switch {
	case met == skipRecord, met == began:
		return met, ""
	case byType == began:
		return began, ""
	case met != noEnding:
		return met, ""
	case byType == failed || byType == lost:
		return byType, ""
	}
	if status := m.find(record, mapStatus); m.has(mapStatus) && status.Kind() != history.None {
		t, ok := m.eventType(status)
		if !ok || t == history.Invoke {
			return 0, m.unknownWord(mapStatus, status, "ok=done,lost=timed-out")
		}
		return endingOf(t), ""
	}
	if i := slices.IndexFunc(m.conditions, func(c condition) bool { return c.then == returned }); i >= 0 {
		path := m.conditions[i].tests[0].path
		v := at(record, path)
		if v.Kind() == history.None {
			return 0, "no condition says how the operation ended: " + path + " is missing"
		}
		return 0, fmt.Sprintf("no condition says how the operation ended: %s is %s", path, describe(v))
	}
	return returned, ""
}
