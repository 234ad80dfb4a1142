package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// TestComposedTwins: each function of the package twins has the verdict, or the reason, of the comment
// before it.
func TestComposedTwins(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	old := checkSilence
	checkSilence = 10 * time.Second
	defer func() { checkSilence = old }()
	const dir = "../../replay/composed/extract/testdata/twins/"
	type place struct {
		file string
		line int
	}
	want := map[place]string{} // by the line after the comment
	for _, file := range []string{"twins.go", "more.go", "tool/main.go"} {
		text, err := os.ReadFile(dir + file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if _, says, ok := strings.Cut(line, "// want: "); ok {
				want[place{dir + file, i + 2}] = says
			}
		}
	}
	var out, errs bytes.Buffer
	if status := run([]string{"composed", "--check", "--output", "json", dir, dir + "tool"}, nil, &out, &errs); status != stressStatus {
		t.Errorf("status %d, %s", status, errs.String())
	}
	for d := json.NewDecoder(&out); ; {
		var r composedRecord
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		says := r.Check.Verdict
		if says == "unknown" {
			says = *r.Check.Reason
		}
		if w, ok := want[place{r.File, r.Line}]; !ok || !strings.HasPrefix(says, w) {
			t.Errorf("%s: %s, want %q", r.Function, says, w)
		}
		if (r.Check.Verdict == "violation") != (r.Check.Violation != nil) || r.Check.Verdict == "none" && r.Check.Ops == 0 {
			t.Errorf("%s: %+v", r.Function, r.Check)
		}
		delete(want, place{r.File, r.Line})
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}
