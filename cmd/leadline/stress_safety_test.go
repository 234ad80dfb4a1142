package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Flags and files that do not fit are errors.
func TestStressSafetyErrors(t *testing.T) {
	declared := filepath.Join(t.TempDir(), "declared")
	for _, test := range []struct{ args, declared, out string }{
		{"--oracle safety", "", "--oracle safety needs --new or --package"},
		{"--oracle safety --subject queue", "", "--oracle safety is for --new and --package"},
		{"--package container/list", "", "need --oracle safety"},
		{"--oracle safety --package container/list --executions 0", "", "must be positive"},
		{"--oracle safety --package container/list --sequences 5", "", "2 to 4 sequences"},
		{"--oracle safety --package container/list --declared " + declared, "list.List yes\nlist.Element\n", "declared:2: expected a type and yes or no"},
		{"--oracle safety --package container/list --declared " + declared, "# a\n\na yes\na no\n", "declared:4: a is there already"},
	} {
		if err := os.WriteFile(declared, []byte(test.declared), 0o644); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if status := run(append([]string{"stress"}, strings.Fields(test.args)...), strings.NewReader(""), &out, &errs); status != statusBad {
			t.Errorf("%s: status %d", test.args, status)
		}
		if !strings.Contains(errs.String(), test.out) {
			t.Errorf("%s: %s", test.args, &errs)
		}
	}
}
