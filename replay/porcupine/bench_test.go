package porcupine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anishathalye/porcupine"

	leadline "github.com/leadline/leadline/replay/porcupine"
)

// BenchmarkCheck checks the same history with both tools.
func BenchmarkCheck(b *testing.B) {
	for _, s := range subjects()[:6] {
		for _, n := range []int{20, 100, 1000, 10_000} {
			for _, clients := range []int{4, 16} {
				if testing.Short() && (n > 100 || clients > 4) {
					continue
				}
				ops := s.history(rand.New(rand.NewPCG(1, 2)), n, clients, 0)
				name := fmt.Sprintf("model=%s/n=%d/T=%d/engine=", s.name, n, clients)
				b.Run(name+"porcupine", func(b *testing.B) {
					for b.Loop() {
						if !porcupine.CheckOperations(s.model, ops) {
							b.Fatal("illegal")
						}
					}
				})
				b.Run(name+"leadline", func(b *testing.B) {
					for b.Loop() {
						if !leadline.CheckOperations(s.model, ops) {
							b.Fatal("illegal")
						}
					}
				})
			}
		}
	}
}
