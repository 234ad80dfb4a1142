package spec

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
	"github.com/leadline/leadline/replay/spec/java"
)

// A program is a line MODEL; METHOD ARG ARG = RESULT; ... where "-" is the
// result of a method without one and "blocks" means no transition.

// replayProgram also continues with a clone after every call, so that a state
// that clone omits is detected.
func replayProgram(text string) error {
	calls := strings.Split(text, "; ")
	s, err := Parse(calls[0])
	if err != nil {
		return err
	}
	state := s.New().(replay.State)
	for i, call := range calls[1:] {
		op, err := parseCall(call)
		if err != nil {
			return fmt.Errorf("call %d: %v", i+1, err)
		}
		if err := s.Check(op); err != nil {
			return fmt.Errorf("call %d: %s: %v", i+1, call, err)
		}
		got, ok := state.Apply(replay.Invocation{Method: op.Method, Args: op.Args})
		if ok == (op.Result.Kind() == history.Unknown) || ok && !got.Equal(op.Result) {
			return fmt.Errorf("call %d: %s, but the model returns %v, %v\n%s", i+1, call, got, ok, text)
		}
		state = state.Clone()
	}
	return nil
}

func parseCall(call string) (*history.Operation, error) {
	words, answer, ok := strings.Cut(call, " = ")
	if !ok {
		return nil, fmt.Errorf("no result in %q", call)
	}
	op := &history.Operation{Result: programAnswer(answer)}
	for j, word := range strings.Split(words, " ") {
		if j == 0 {
			op.Method = word
		} else {
			op.Args = append(op.Args, programArgument(word))
		}
	}
	return op, nil
}

func programArgument(word string) history.Value {
	if word == "null" {
		return history.NullValue
	}
	if word == "true" || word == "false" {
		return history.BoolValue(word == "true")
	}
	if n, err := strconv.Atoi(word); err == nil {
		return history.IntValue(int64(n))
	}
	if text, err := strconv.Unquote(word); err == nil {
		return history.StringValue(text)
	}
	var parts []history.Value
	depth := 0
	outside := func(r rune) bool { // a comma that is not inside a list in the list
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		}
		return r == ',' && depth == 0
	}
	for part := range strings.FieldsFuncSeq(word[1:len(word)-1], outside) {
		key, val, isEntry := strings.Cut(part, ":")
		if isEntry { // as in JSON, keys are strings
			parts = append(parts, history.StringValue(key), programArgument(val))
		} else {
			parts = append(parts, programArgument(part))
		}
	}
	if word[0] == '{' {
		m, ok := history.MapValue(parts...)
		if !ok {
			panic("a key occurs twice in " + word)
		}
		return m
	}
	return history.ListValue(parts...)
}

func programAnswer(text string) history.Value {
	switch text {
	case "-":
		return history.NoValue
	case "null":
		return history.NullValue
	case "blocks":
		return history.UnknownValue
	case "true", "false":
		return history.BoolValue(text == "true")
	}
	if n, err := strconv.Atoi(text); err == nil {
		return history.IntValue(int64(n))
	}
	if quoted, err := strconv.Unquote(text); err == nil {
		return history.StringValue(quoted)
	}
	if strings.HasPrefix(text, "=[") || strings.HasPrefix(text, "={") { // a list or a map; without =, the string of a list in Java
		return programArgument(text[1:])
	}
	if strings.HasPrefix(text, "java.") {
		return history.ExceptionValue(text)
	}
	return history.StringValue(text)
}

// unusedCalls are the calls that no program has used so far, each as "CLASS
// METHOD" with an "arg" for each argument.
type unusedCalls map[string]bool

func newUnused(want func(*table.Entry) bool) unusedCalls {
	unused := unusedCalls{}
	for i := range entries {
		if e := entries[i]; want(e) {
			e.Methods.Read()
			for _, s := range e.Methods.List {
				for _, name := range s.Names {
					unused[e.Name+" "+name+strings.Repeat(" arg", len(s.Params))] = true
				}
			}
		}
	}
	return unused
}

// strike removes the calls of a program from the set and returns the name of
// its model.
func (u unusedCalls) strike(text string) string {
	calls := strings.Split(text, "; ")
	model, _, _ := strings.Cut(strings.TrimPrefix(calls[0], java.Package), ":")
	for _, call := range calls[1:] {
		words, _, _ := strings.Cut(call, " = ")
		method, args, _ := strings.Cut(words, " ")
		delete(u, model+" "+method+strings.Repeat(" arg", len(strings.Fields(args))))
	}
	return model
}
