package leadline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/history"
)

// ReadOperations reads a JSON array of operations, as json.Marshal writes
// []porcupine.Operation:
//
//	[{"ClientId": 0, "Input": ..., "Call": 10, "Output": ..., "Return": 20}, ...]
//
// Inputs are of type I and outputs of type O, the types that the model expects.
// Metadata is any JSON. An error names the file and the line.
func ReadOperations[I, O any](r io.Reader, file string) ([]porcupine.Operation, error) {
	var ops []porcupine.Operation
	err := readArray(r, file, func(element json.RawMessage) error {
		var read struct {
			ClientId     int
			Input        *I
			Call, Return *int64
			Output       *O
			Metadata     any
		}
		if err := decodeStrictly(element, &read); err != nil {
			return err
		}
		if read.Call == nil || read.Return == nil {
			return errors.New("an operation needs Call and Return")
		}
		ops = append(ops, porcupine.Operation{ClientId: read.ClientId, Input: valueOf(read.Input), Call: *read.Call,
			Output: valueOf(read.Output), Return: *read.Return, Metadata: read.Metadata})
		return nil
	})
	return ops, err
}

// ReadEvents reads a JSON array of events, as json.Marshal writes
// []porcupine.Event. Kind is false for a call, whose value is of type I, and true
// for a return, whose value is of type O.
//
//	[{"ClientId": 0, "Kind": false, "Value": ..., "Id": 0}, ...]
func ReadEvents[I, O any](r io.Reader, file string) ([]porcupine.Event, error) {
	var events []porcupine.Event
	err := readArray(r, file, func(element json.RawMessage) error {
		var read struct {
			ClientId int
			Kind     *bool
			Value    json.RawMessage
			Id       *int
			Metadata any
		}
		if err := decodeStrictly(element, &read); err != nil {
			return err
		}
		if read.Kind == nil || read.Id == nil {
			return errors.New("an event needs Kind and Id")
		}
		value, err := decodeValue[I](read.Value)
		if *read.Kind {
			value, err = decodeValue[O](read.Value)
		}
		if err != nil {
			return err
		}
		events = append(events, porcupine.Event{ClientId: read.ClientId, Kind: porcupine.EventKind(*read.Kind), Value: value,
			Id: *read.Id, Metadata: read.Metadata})
		return nil
	})
	return events, err
}

// decodeValue decodes a value of type T; null and missing text give nil.
func decodeValue[T any](text json.RawMessage) (any, error) {
	var value *T
	if len(text) > 0 {
		if err := decodeStrictly(text, &value); err != nil {
			return nil, err
		}
	}
	return valueOf(value), nil
}

// valueOf returns *p, or nil if p is nil: json.Marshal writes nil as null.
func valueOf[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

func decodeStrictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// readArray calls add with each element of a JSON array.
func readArray(r io.Reader, file string, add func(element json.RawMessage) error) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	line, counted := 1, 0
	fail := func(at int, err error) error {
		line += bytes.Count(text[counted:at], []byte("\n"))
		if errors.Is(err, io.EOF) {
			err = errors.New("the array does not end")
		}
		return &history.Error{File: file, Line: line, Msg: err.Error(), Err: err}
	}
	switch token, err := d.Token(); {
	case err != nil:
		return fail(len(text), err)
	case token != json.Delim('['):
		return fail(int(d.InputOffset()), errors.New("a JSON array expected"))
	}
	// The results of More and Token at the end of the text depend on the release of Go.
	atEnd := func() bool { return len(bytes.TrimSpace(text[d.InputOffset():])) == 0 }
	for d.More() && !atEnd() {
		var element json.RawMessage
		at := len(text) - len(bytes.TrimLeft(text[d.InputOffset():], " \t\r\n,"))
		line += bytes.Count(text[counted:at], []byte("\n"))
		counted = at
		if err := d.Decode(&element); err != nil {
			return fail(min(len(text), max(at, int(offsetOf(err)))), err)
		}
		if err := add(element); err != nil {
			return fail(at, err)
		}
	}
	if atEnd() {
		return fail(len(text), io.EOF)
	}
	if _, err := d.Token(); err != nil {
		return fail(len(text), err)
	}
	if rest := bytes.TrimSpace(text[d.InputOffset():]); len(rest) > 0 {
		return fail(bytes.LastIndex(text, rest), errors.New("text after the array"))
	}
	return nil
}

// offsetOf returns the place of a syntax error, or 0.
func offsetOf(err error) int64 {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Offset
	}
	return 0
}
