package codec

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/leadline/leadline/history"
)

// TestPoolsAreReused: a history keeps its values while other decoders use the pool and the buffer
// of its own.
func TestPoolsAreReused(t *testing.T) {
	encode := func(h *history.History) string {
		var text bytes.Buffer
		if err := Encode(&text, h); err != nil {
			return err.Error()
		}
		return text.String()
	}
	inputs := map[string][]string{}
	for _, format := range Formats() {
		inputs[format.Name] = goldenInputs(t, format.Name)
	}
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			var histories []*history.History
			var texts []string
			for range 3 {
				for _, format := range Formats() {
					for _, input := range inputs[format.Name] {
						for h := range format.Decode(strings.NewReader(input), "in", Limits{}) {
							if h != nil {
								histories, texts = append(histories, h), append(texts, encode(h))
							}
						}
					}
				}
			}
			for i, h := range histories {
				if got := encode(h); got != texts[i] {
					t.Errorf("history %d was\n%sand is\n%s", i, texts[i], got)
				}
			}
		})
	}
	workers.Wait()
}
