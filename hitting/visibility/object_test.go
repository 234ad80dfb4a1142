package visibility_test

import (
	"fmt"
	"strings"

	"github.com/leadline/leadline/hitting/visibility"
	"github.com/leadline/leadline/poset"
)

// An op is an operation on the keys 0 and 1, which have values from 0 to 3; a state is the
// value of key 0 plus four times the value of key 1. Methods:
//
//	add(key)  sets the value to 1 if it is 0; whether it did
//	del(key)  sets the value to 0; whether it was another
//	inc(key)  adds 1 modulo 4; always 0
//	get(key)  the value
//	take()    sets the first value that is not 0 to 0 and returns its key, or -1
//	wait()    like take, but it cannot run if both are 0
//	read()    the state
//	len()     how many values are not 0
type op struct {
	method      string
	key, result int
	call, ret   int32
	level       visibility.Level
	pending     bool
}

func apply(state int, o *op) (after, result int, ok bool) {
	value := func(key int) int { return state >> (2 * key) & 3 }
	set := func(key, v int) int { return state&^(3<<(2*key)) | v<<(2*key) }
	has := min(value(o.key), 1)
	switch o.method {
	case "add":
		return state | (1-has)<<(2*o.key), 1 - has, true
	case "del":
		return set(o.key, 0), has, true
	case "inc":
		return set(o.key, (value(o.key)+1)%4), 0, true
	case "get":
		return state, value(o.key), true
	case "read":
		return state, state, true
	case "len":
		return state, min(value(0), 1) + min(value(1), 1), true
	}
	for key := range 2 {
		if value(key) != 0 {
			return set(key, 0), key, true
		}
	}
	return state, -1, o.method == "take"
}

func (o *op) only() bool { return o.method == "get" || o.method == "read" || o.method == "len" }

func (o *op) String() string {
	text := fmt.Sprintf("%s(%d)", o.method, o.key)
	if o.method == "take" || o.method == "wait" || o.method == "read" || o.method == "len" {
		text = o.method + "()"
	}
	if o.pending {
		return text + ": pending"
	}
	text = fmt.Sprintf("%s: %d", text, o.result)
	if o.level != visibility.Complete {
		text = o.level.String() + " " + text
	}
	return text
}

// A hist is a history; it implements visibility.Object.
type hist []op

func (h hist) String() string {
	var lines []string
	for i := range h {
		lines = append(lines, fmt.Sprintf("%d-%d %v", h[i].call, h[i].ret, &h[i]))
	}
	return strings.Join(lines, "; ")
}

func (h hist) Start() int32             { return 0 }
func (h hist) ReadOnly(i int32) bool    { return h[i].only() }
func (h hist) Optional(i int32) bool    { return h[i].pending }
func (h hist) before(i, j int32) bool   { return h[i].ret < h[j].call }
func (h hist) Run(state, i int32) int32 { return h.run(state, i, h[i].pending) }
func (h hist) Step(state, i int32) int32 {
	if _, result, _ := apply(int(state), &h[i]); !h[i].pending && result != h[i].result {
		return -1
	}
	return h.Run(state, i)
}

// Parts implements visibility.Divided: the parts are the keys. Fits tries all pairs.
func (h hist) Parts() int {
	for i := range h {
		if h[i].method == "take" || h[i].method == "wait" {
			return 0
		}
	}
	return 2
}

func (h hist) Fits(i int32, states [][]int32) []int {
	for a, s := range states[0] {
		for b, t := range states[1] {
			if h.Step(s|t, i) >= 0 {
				return []int{a, b}
			}
		}
	}
	return nil
}

// run returns the state after operation i, or -1; one that may wait has no effect then.
func (h hist) run(state, i int32, mayWait bool) int32 {
	after, _, ok := apply(int(state), &h[i])
	if !ok && !mayWait {
		return -1
	}
	return int32(after)
}

func (h hist) operations() *visibility.Operations {
	o := &visibility.Operations{}
	var call, ret []int32
	for i := range h {
		call, ret = append(call, h[i].call), append(ret, h[i].ret)
		o.Level = append(o.Level, h[i].level)
		part := int32(h[i].key)
		if h[i].only() {
			part = -1
		}
		o.Part = append(o.Part, part)
	}
	o.Before = poset.Interval(call, ret)
	return o
}
