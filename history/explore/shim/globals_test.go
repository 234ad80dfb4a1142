package shim_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/sync"
)

type node struct {
	n    int
	next *node
}

var (
	globalNumber = 1
	globalText   = "a"
	globalList   = []*node{{n: 1}, {n: 2, next: &node{n: 3}}}
	globalTable  = map[string][]int{"a": {1, 2}}
	globalDeep   = struct {
		any any
		m   map[int]map[int]*node
	}{&node{n: 4}, map[int]map[int]*node{1: {2: {n: 5}}}}
	globalUnset map[int]int
	globalMap   sync.Map
	globalCycle = &node{n: 6}
	errGlobal   = errors.New("once")
)

func init() {
	globalMap.Store(1, 2)
	globalCycle.next = globalCycle
	schedule.Globals("github.com/leadline/leadline/history/explore/shim_test", &globalNumber, &globalText, &globalList, &globalTable, &globalDeep, &globalUnset, &globalMap, &globalCycle, &errGlobal)
}

// globalsText writes what the variables hold.
func globalsText() string {
	one, _ := globalMap.Load(1)
	_, two := globalMap.Load(2)
	return fmt.Sprint(globalNumber, globalText, len(globalList), globalList[0].n, globalList[1].next.n, globalTable, *globalDeep.any.(*node), len(globalDeep.m), len(globalDeep.m[1]), globalDeep.m[1][2].n, globalUnset == nil,
		one, two, globalCycle.n, globalCycle.next == globalCycle, errGlobal)
}

// TestGlobals changes variables, and what they refer to, in one execution after another: each
// begins with the values of before.
func TestGlobals(t *testing.T) {
	err, second := errGlobal, globalList[1]
	before := globalsText()
	for i, change := range []func(){
		func() { globalNumber, globalText = 2, "b" },
		func() { globalList[0].n, globalList[1].next.n = 7, 8 },
		func() { globalList[0] = nil },
		func() { globalList = nil },
		func() { globalTable["a"][1] = 9 },
		func() { globalTable["b"] = nil },
		func() { delete(globalTable, "a") },
		func() { globalTable = map[string][]int{} },
		func() { globalDeep.any.(*node).n = 1; globalDeep.any = nil },
		func() { globalDeep.m[1][2].n = 1; globalDeep.m[1][3] = nil },
		func() { globalDeep.m[1] = nil; globalDeep.m[2] = nil },
		func() { globalUnset = map[int]int{} },
		func() { globalMap.Store(1, 3); globalMap.Store(2, 3) },
		func() { globalMap.Clear() },
		func() { globalCycle.n = 1; globalCycle.next = nil },
		func() { errGlobal = nil },
	} {
		run := func(f func()) { schedule.Run(&schedule.Program{Before: f}, schedule.NewReplay(nil), schedule.Limits{}) }
		changed, after := "", ""
		run(func() {
			change()
			defer func() { _ = recover() }()
			changed = "panics"
			changed = globalsText()
		})
		if run(func() { after = globalsText() }); after != before || changed == before || errGlobal != err || globalList[1] != second {
			t.Errorf("change %d:\n%s\n%s, then\n%s", i, before, changed, after)
		}
	}
}
