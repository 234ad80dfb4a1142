// Package results has an object with each kind of result that a Go test of a violation compares.
package results

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// An Object counts, unless it is Broken.
type Object struct {
	n      atomic.Int64
	a, b   sync.Mutex
	Broken bool
}

// A Pair is a struct in results.
type Pair struct {
	Name string
	All  []float32
	Err  error
}

func New() Object        { return Object{} }
func NewBroken() *Object { return &Object{Broken: true} }

func (o *Object) Inc() int64 {
	if !o.Broken {
		return o.n.Add(1)
	}
	n := o.n.Load() + 1
	runtime.Gosched()
	o.n.Store(n)
	return n
}

func (o *Object) Forth() { both(&o.a, &o.b) }

// Back may wait for Forth, and Forth for Back.
func (o *Object) Back() {
	if o.Broken {
		both(&o.b, &o.a)
	}
}

func both(a, b *sync.Mutex) {
	a.Lock()
	runtime.Gosched()
	b.Lock()
	b.Unlock()
	a.Unlock()
}

func (o *Object) Nothing()                      {}
func (o *Object) Bool() bool                    { return true }
func (o *Object) Ints() (int8, uint64)          { return -1, math.MaxUint64 }
func (o *Object) Floats() [2]float64            { return [2]float64{.5, math.NaN()} }
func (o *Object) Texts() (string, string)       { return "a\n\"`", "é" }
func (o *Object) Bytes() []byte                 { return []byte("a") }
func (o *Object) None() ([]int, map[string]int) { return nil, nil }
func (o *Object) Map() map[Key]Pair {
	return map[Key]Pair{{2}: {Name: "b"}, {1}: {All: []float32{1}, Err: errFull}}
}
func (o *Object) Elapsed() time.Duration          { return time.Second }
func (o *Object) Fails() (int, error)             { return 7, errFull }
func (o *Object) Succeeds(keys ...int) error      { return nil }
func (o *Object) Panics(n int)                    { panic(fmt.Errorf("n is %d", n)) }
func (o *Object) Each(f func(k int, v bool) bool) { _ = f(2, true) && f(1, false) }
func (o *Object) Peek() int64                     { return o.n.Load() }
func (o *Object) Size() *int64                    { n := o.n.Load(); return &n }

// A Key is a key of maps in results.
type Key struct{ K uint8 }

var errFull = errors.New("full")
