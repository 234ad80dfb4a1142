package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay/composed"
)

// A schema is a JSON schema, with the keywords that schema.json uses.
type schema struct {
	Ref                  string             `json:"$ref"`
	AnyOf                []*schema          `json:"anyOf"`
	Const                any                `json:"const"`
	Enum                 []any              `json:"enum"`
	Type                 any                `json:"type"`
	Properties           map[string]*schema `json:"properties"`
	Required             []string           `json:"required"`
	Items                *schema            `json:"items"`
	AdditionalProperties *schema            `json:"additionalProperties"`
	Defs                 map[string]*schema `json:"$defs"`
	Schema               string             `json:"$schema"`
	Title, Description   string
}

func readSchema(t *testing.T) *schema {
	t.Helper()
	text, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields() // a keyword that check does not know
	s := &schema{}
	if err := d.Decode(s); err != nil {
		t.Fatal(err)
	}
	return s
}

// check returns an error if v does not have the form of s, which is part of root.
func (s *schema) check(root *schema, v any) error {
	if s.Ref != "" {
		name := strings.TrimPrefix(s.Ref, "#/$defs/")
		if s = root.Defs[name]; s == nil {
			return fmt.Errorf("there is no %s", name)
		}
	}
	if len(s.AnyOf) > 0 {
		var errs []error
		for _, one := range s.AnyOf {
			err := one.check(root, v)
			if err == nil {
				return nil
			}
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	}
	if s.Const != nil && s.Const != v || s.Enum != nil && !slices.Contains(s.Enum, v) {
		return fmt.Errorf("%v is not %v%v", v, s.Const, s.Enum)
	}
	if !s.hasType(v) {
		return fmt.Errorf("%v is not of type %v", v, s.Type)
	}
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			if s.Items == nil {
				break
			} else if err := s.Items.check(root, e); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
	case map[string]any:
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				return fmt.Errorf("%s is missing", name)
			}
		}
		for name, e := range v {
			p := s.Properties[name]
			if p == nil {
				p = s.AdditionalProperties
			}
			if p == nil {
				continue
			}
			if err := p.check(root, e); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

func (s *schema) hasType(v any) bool {
	list, ok := s.Type.([]any)
	if !ok {
		list = []any{s.Type}
	}
	is := "null"
	switch v := v.(type) {
	case bool:
		is = "boolean"
	case string:
		is = "string"
	case float64:
		is = "number"
		if v == float64(int64(v)) && slices.Contains(list, any("integer")) {
			is = "integer"
		}
	case []any:
		is = "array"
	case map[string]any:
		is = "object"
	}
	return s.Type == nil || slices.Contains(list, any(is))
}

// lines returns lines of each kind, by the names of the kinds in the schema.
func lines(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "h.jsonl")
	histories := `{"leadline":1,"history":"good","model":"register","args":[0]}
{"process":0,"op":"a","type":"invoke","method":"read"}
{"process":0,"op":"a","type":"ok","result":0}
{"leadline":1,"history":"bad","model":"register","args":[0]}
{"process":0,"op":1,"type":"invoke","method":"read"}
{"process":0,"op":1,"type":"ok","result":5}
{"leadline":1,"history":"waits","model":"queue"}
{"process":0,"op":1,"type":"invoke","method":"size"}
{"process":0,"op":1,"type":"waits","for":"waits at a.go:1"}
{"leadline":1,"history":"invalid","model":"queue"}
{"process":0,"op":1,"type":"ok"}
{"leadline":1,"history":"edges","model":"register","args":[0]}
{"process":0,"op":1,"type":"invoke","method":"write","args":[1]}
{"process":1,"op":2,"type":"invoke","method":"read"}
{"process":1,"op":2,"type":"ok","result":0}
{"edge":[1,2]}
`
	if err := os.WriteFile(file, []byte(histories), 0o644); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(dir, "good.jsonl")
	first, _, _ := strings.Cut(histories, `{"leadline":1,"history":"bad"`)
	if err := os.WriteFile(good, []byte(first), 0o644); err != nil {
		t.Fatal(err)
	}
	of := func(args ...string) string {
		var out, errs bytes.Buffer
		if status := run(args, nil, &out, &errs); out.Len() == 0 {
			t.Fatalf("%q: status %d, %s", args, status, errs.String())
		}
		return out.String()
	}
	written := func(v any) string {
		var out strings.Builder
		if err := writeJSON(&out, v); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	summary := filepath.Join(dir, "summary.json")
	all := map[string]string{
		"check": of("check", "--output", "json", "--verbose", "--summary", summary, file) + of("check", "--output", "json", "--order", "program", file) +
			of("check", "--output", "json", "--weak", "size=basic", file) + of("check", "--output", "json", "--model", "queue", file),
		"family-exact-depth": of("family", "--exact-depth", "--output", "json", good),
		"family-count":       of("family", "--count", "--output", "json", good),
		"family-schedule":    of("family", "--output", "json", good),
		"stress-violation":   written(&stressRecord{"violation", &stress.Finding{Expected: []stress.ExpectedOutcome{{Outcome: "0"}}, Scheduled: &stress.Scheduled{Steps: []explore.Step{{}}}}, nil}),
		"stress-object":      written(&stressSummary{"object", &stress.Report{Crashes: []stress.Crash{{}}, Explored: &stress.Explored{}}, nil}),
		"stress-go-test":     written(&goTestRecord{Kind: "go_test", Program: "{ Get() }"}),
		"safety":             written(&safetyRecord{Kind: "safety", Unreproduced: []unreproduced{{Reason: "x"}}}),
		"replay":             written(&stress.Replayed{Steps: []explore.Step{{Place: "a.go:1"}}, Waiting: []string{"x"}}),
		"composed": written(&composedRecord{Operations: []operationRecord{{Method: "Load"}}}) +
			written(&composedRecord{Check: &checkedRecord{Violation: &composed.Violation{Steps: []composed.Step{{}}, Differences: []string{"x"}}}}),
	}
	text, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	all["check-summary"] = string(text)
	return all
}

// TestSchema: each kind of line that --output json writes has the form that schema.json has for
// it, and a line that lacks something, or has another version, does not.
func TestSchema(t *testing.T) {
	root := readSchema(t)
	all := lines(t)
	for _, one := range root.AnyOf {
		if name := strings.TrimPrefix(one.Ref, "#/$defs/"); all[name] == "" {
			t.Errorf("no line is tested of %s", name)
		}
	}
	for name, text := range all {
		d := json.NewDecoder(strings.NewReader(text))
		count := 0
		for {
			var line map[string]any
			if err := d.Decode(&line); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
			count++
			s := root.Defs[name]
			if err := s.check(root, line); err != nil {
				t.Errorf("%s: %v\n%v", name, err, line)
			}
			if err := root.check(root, line); err != nil {
				t.Errorf("no kind of line: %v", line)
			}
			for _, key := range s.Required {
				was := line[key]
				delete(line, key)
				if s.check(root, line) == nil {
					t.Errorf("%s: a line without %s passes", name, key)
				}
				line[key] = was
			}
			line["version"] = float64(3)
			if root.check(root, line) == nil {
				t.Errorf("%s: a line of version 3 passes", name)
			}
		}
		if count == 0 {
			t.Errorf("no lines of %s", name)
		}
	}
}
