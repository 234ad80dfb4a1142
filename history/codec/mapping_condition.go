package codec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

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
