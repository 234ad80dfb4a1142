package codec

import (
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
)

// TestLogfmtWords: words that are not pairs are skipped without copying the rest of the
// line.
func TestLogfmtWords(t *testing.T) {
	line := []byte(strings.Repeat("word\t=x ", 2000) + "k=v")
	allocs := testing.AllocsPerRun(1, func() {
		if pairs, fault := logfmtPairs(line); len(pairs) != 1 || fault != "" {
			t.Errorf("%d pairs, fault %q", len(pairs), fault)
		}
	})
	if allocs > 10 {
		t.Errorf("%v allocations for a line of 4,001 words", allocs)
	}
}

// TestLocate: a path of many keys is not split in all possible ways.
func TestLocate(t *testing.T) {
	path := strings.Repeat("a.", 200) + "a"
	if v := at(history.IntValue(1), path); v.Kind() != history.None {
		t.Errorf("%v at a path of an integer", v)
	}
	record, _ := history.MapValue(history.StringValue("a"), history.IntValue(1))
	if v := at(record, path); v.Kind() != history.None {
		t.Errorf("%v at a path that the record lacks", v)
	}
}
