package main

import (
	"testing"

	"github.com/spf13/pflag"
)

// TestFlagCount: a flag is a promise and a line of help, so there are few: 24 of check and
// stress, 16 of another command, and 100 by name, without --help.
func TestFlagCount(t *testing.T) {
	names := map[string]bool{}
	for _, c := range newRoot(streams{}, new(int)).Commands() {
		most := 16
		if c.Name() == "check" || c.Name() == "stress" {
			most = 24
		}
		var list []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Name != "help" {
				list = append(list, f.Name)
				names[f.Name] = true
			}
		})
		t.Logf("%s: %d %v", c.Name(), len(list), list)
		if len(list) > most {
			t.Errorf("leadline %s has %d flags, at most %d are allowed", c.Name(), len(list), most)
		}
	}
	t.Logf("%d flags", len(names))
	if len(names) > 100 {
		t.Errorf("%d flags, at most 100 are allowed", len(names))
	}
}
