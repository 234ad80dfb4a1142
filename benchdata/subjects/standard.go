package subjects

import (
	"io"
	"log"
	"math/rand"
)

// NewLogger returns a logger that writes nothing.
func NewLogger() *log.Logger { return log.New(io.Discard, "", 0) }

// Rand has functions of math/rand that share a generator.
type Rand struct{}

func NewRand() *Rand { return &Rand{} }

func (*Rand) Float64() float64           { return rand.Float64() }
func (*Rand) Int() int                   { return rand.Int() }
func (*Rand) Int63n(n int64) int64       { return rand.Int63n(n) }
func (*Rand) Intn(n int) int             { return rand.Intn(n) }
func (*Rand) NormFloat64() float64       { return rand.NormFloat64() }
func (*Rand) Perm(n int) []int           { return rand.Perm(n) }
func (*Rand) Read(p []byte) (int, error) { return rand.Read(p) }
func (*Rand) Seed(seed int64)            { rand.Seed(seed) }
func (*Rand) Uint32() uint32             { return rand.Uint32() }
