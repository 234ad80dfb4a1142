package explain

import (
	"fmt"
	"strconv"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// neverPut returns why no order of the operations of p gives an operation its result: it found
// a value that no other operation puts into the object. It returns "" if that is not so.
// Any order of the operations, and any subset of the pending ones, lacks the value.
func (x *explainer) neverPut(p *ops.Problem, op int32) string {
	s, ok := p.Spec.(replay.Holder)
	if !ok || p.H.Ops[op].Pending() {
		return ""
	}
	found := s.AppendHeld(nil, &p.H.Ops[op])
	for k := range found {
		if f := &found[k]; !f.Puts {
			isPut, other := put(s, p.H, op, f)
			if isPut {
				continue
			}
			when := "never"
			if isLater, _ := put(s, x.H, op, f); isLater {
				when = "not yet"
			}
			under := ""
			if f.Part.Kind() != history.None && f.Part.Kind() != history.Null {
				under = " under " + f.Part.String()
			}
			why := fmt.Sprintf("%v is %s %s%s", f.Value, when, f.Verb, under)
			if other.Kind() != history.None {
				why += fmt.Sprintf(": %s was %s as a %s, this is the %s %v", label(other), f.Verb, kindWords[other.Kind()], kindWords[f.Value.Kind()], f.Value)
			}
			return why
		}
	}
	return ""
}

// put reports whether an operation of h other than op may put a value into the object. If
// not, other is a value of another kind that looks the same, and that is put there, or None.
func put(s replay.Holder, h *history.History, op int32, found *replay.Held) (isPut bool, other history.Value) {
	var all []replay.Held
	for i := range h.Ops {
		if int32(i) == op {
			continue
		}
		all = s.AppendHeld(all[:0], &h.Ops[i])
		for k := range all {
			switch p := &all[k]; {
			case !p.Puts || !p.Part.Equal(found.Part) && !p.Part.HoldsUnknown():
			case p.Value.HoldsUnknown() || p.Value.Equal(found.Value):
				return true, history.Value{}
			case label(p.Value) == label(found.Value):
				other = p.Value
			}
		}
	}
	return false, other
}

// label is the text of a value without its kind.
func label(v history.Value) string {
	switch v.Kind() {
	case history.String:
		return v.Text()
	case history.Float:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	}
	return v.String()
}

// kindWords name kinds of values that may look the same.
var kindWords = map[history.Kind]string{history.Int: "number", history.Float: "floating-point number", history.String: "text",
	history.Bool: "truth value", history.Null: "null value", history.List: "list", history.Map: "map"}
