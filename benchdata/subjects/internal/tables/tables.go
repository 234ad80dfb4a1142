// Package tables keeps the results of the commands in this module: in a file with a
// JSON object on each line, and as tables in the README.
//
// A command that measures objects reads its file, replaces what it has measured again,
// writes the file after each object, and then its tables:
//
//	all, err := tables.Read("safety/results.jsonl", func(r *result) string { return r.Type })
//	...
//	err = tables.Write("safety/results.jsonl", lines)
//	...
//	err = tables.WriteTables("README.md", "go run ./safety -table", table)
package tables

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Lines returns the lines of a file, and none if it does not exist yet.
func Lines(file string) ([][]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	return lines[:len(lines)-1], nil // without what follows the last line
}

// Read returns the results of a file by their names, and none if it does not exist
// yet.
func Read[T any](file string, name func(*T) string) (map[string]*T, error) {
	lines, err := Lines(file)
	if err != nil {
		return nil, err
	}
	all := map[string]*T{}
	for i, line := range lines {
		r := new(T)
		if err := json.Unmarshal(line, r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		all[name(r)] = r
	}
	return all, nil
}

// Write replaces a file.
func Write(file string, all []any) error {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	for _, r := range all {
		if err := out.Encode(r); err != nil {
			return err
		}
	}
	return os.WriteFile(file, text.Bytes(), 0o644)
}

// WithTables returns a text with the tables that a command writes. They are between two
// comments, the first of which names the command.
func WithTables(text, command, tables string) (string, error) {
	begin, end := "<!-- begin: "+command+" -->\n", "<!-- end -->\n"
	before, rest, found := strings.Cut(text, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", fmt.Errorf("the marks of the tables of %s are missing", command)
	}
	return before + begin + "\n" + tables + "\n" + end + after, nil
}

// WriteTables replaces the tables of a command in a file.
func WriteTables(file, command, tables string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changed, err := WithTables(string(text), command, tables)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, []byte(changed), 0o644)
}
