package codec

import (
	"strings"
	"testing"
)

// TestLogfmtWords: words that are not pairs are skipped without copying the rest of the
// line.
func TestLogfmtWords(t *testing.T) {
	line := []byte(strings.Repeat("word\t=x ", 2000) + "k=v")
	allocs := testing.AllocsPerRun(1, func() {
		if pairs, fault := logfmtPairs(line, nil); len(pairs) != 1 || fault != "" {
			t.Errorf("%d pairs, fault %q", len(pairs), fault)
		}
	})
	if allocs > 10 {
		t.Errorf("%v allocations for a line of 4,001 words", allocs)
	}
}
