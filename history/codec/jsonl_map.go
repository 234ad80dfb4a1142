package codec

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// A mapping tells the decoder of jsonl where in a record to find what a history
// needs: a path per word of mappingPaths, a.b for the key b of the object a. It
// also has the names of the types of events.
type mapping struct {
	paths map[string][]string
	types map[string]history.EventType
	model string
	args  []history.Value
	tie   history.Tie
}

// mappingPaths are the words that a mapping may map.
var mappingPaths = []string{"process", "type", "f", "args", "value", "key", "result", "op", "at",
	"call", "return", "input", "output", "start", "finish"}

// The shapes that need no mapping: etcd's robustness tests record operations
// with call and return, as porcupine has them; others streams of starts and
// finishes.
const (
	operationShape = "process=ClientId,input=Input,call=Call,output=Output,return=Return"
	startShape     = "process=client_id,op=op_id,start=event.Start,finish=event.Finish"
)

// parseMapping reads a mapping as Options.Map has it.
func parseMapping(text string) (*mapping, error) {
	if name, ok := strings.CutPrefix(text, "@"); ok {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading the mapping: %w", err)
		}
		text = string(content)
	}
	m := &mapping{paths: map[string][]string{}, types: map[string]history.EventType{}}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		for entry := range strings.SplitSeq(line, ",") {
			name, what, ok := strings.Cut(entry, "=")
			name, what = strings.TrimSpace(name), strings.TrimSpace(what)
			if !ok || name == "" || what == "" {
				return nil, fmt.Errorf("mapping: %q is not NAME=PATH", clip([]byte(entry)))
			}
			if err := m.set(name, what); err != nil {
				return nil, fmt.Errorf("mapping: %w", err)
			}
		}
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("mapping: %w", err)
	}
	return m, nil
}

// set takes one entry.
func (m *mapping) set(name, what string) error {
	if name == "method" {
		name = "f"
	}
	kinds := map[string]history.EventType{"invoke": history.Invoke, "ok": history.OK, "fail": history.Fail, "info": history.Info}
	if typ, ok := kinds[name]; ok {
		for w := range strings.SplitSeq(what, "|") {
			m.types[w] = typ
		}
		return nil
	}
	switch {
	case name == "model":
		return m.setModel(what)
	case name == "tie" && what == "half-open":
		m.tie = history.HalfOpen
		return nil
	case name == "tie" && what == "closed":
		return nil
	case name == "tie":
		return fmt.Errorf("tie is closed or half-open, not %q", clip([]byte(what)))
	case !slices.Contains(mappingPaths, name):
		return fmt.Errorf("nothing is called %q; known are %s, and invoke, ok, fail, info, model, tie",
			clip([]byte(name)), strings.Join(mappingPaths, ", "))
	case m.paths[name] != nil:
		return fmt.Errorf("%s is given twice", name)
	}
	m.paths[name] = strings.Split(what, ".")
	return nil
}

// setModel takes NAME or NAME:ARGUMENT. An argument that is not a value in the
// notation of history.ParseValue is a string.
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

func (m *mapping) has(names ...string) bool {
	for _, name := range names {
		if m.paths[name] == nil {
			return false
		}
	}
	return true
}

// check sees that the entries make up one of the ways of recording.
func (m *mapping) check() error {
	intervals, unions, events := m.has("call"), m.has("start"), m.has("type")
	ways := 0
	for _, way := range []bool{intervals, unions, events} {
		if way {
			ways++
		}
	}
	switch {
	case ways != 1:
		return fmt.Errorf("exactly one of type, call and start is needed: events with a type, operations with call and return, or starts and finishes")
	case intervals && !m.has("return"), unions && !m.has("finish"):
		return fmt.Errorf("call goes with return, and start with finish")
	case !intervals && !m.has("process"):
		return fmt.Errorf("process is needed")
	case !unions && !m.has("f") && !m.has("input"):
		return fmt.Errorf("f is needed: what is done")
	case m.has("value") && (m.has("args") || m.has("result")):
		return fmt.Errorf("value, which is both argument and result, excludes args and result")
	case m.has("at") && !m.has("op"):
		return fmt.Errorf("at goes with op: events ordered by stamps need identifiers")
	}
	return nil
}

// find returns what record has at the path of one of our words, None where
// there is nothing.
func (m *mapping) find(record history.Value, name string) history.Value {
	path, ok := m.paths[name]
	if !ok {
		return history.NoValue
	}
	for _, key := range path {
		record = member(record, key)
	}
	return record
}

// member returns the value of a key of an object, None where there is none.
func member(object history.Value, key string) history.Value {
	if object.Kind() != history.Map {
		return history.NoValue
	}
	pairs := object.List()
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i].Text() == key {
			return pairs[i+1]
		}
	}
	return history.NoValue
}

// typeWords are the types of events under their usual names.
var typeWords = map[string]history.EventType{
	"invoke": history.Invoke, "invocation": history.Invoke, "call": history.Invoke, "start": history.Invoke,
	"begin": history.Invoke, "request": history.Invoke,
	"ok": history.OK, "return": history.OK, "response": history.OK, "finish": history.OK, "end": history.OK,
	"success": history.OK, "complete": history.OK,
	"fail": history.Fail, "failed": history.Fail, "failure": history.Fail,
	"info": history.Info, "timeout": history.Info, "unknown": history.Info, "pending": history.Info,
}

// eventType returns what a word for the type of an event means.
func (m *mapping) eventType(v history.Value) (history.EventType, bool) {
	name := strings.TrimPrefix(v.Text(), ":")
	if v.Kind() != history.String {
		name = v.String()
	}
	if t, ok := m.types[name]; ok {
		return t, true
	}
	t, ok := typeWords[strings.ToLower(name)]
	return t, ok
}
