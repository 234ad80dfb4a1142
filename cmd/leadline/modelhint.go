package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// maxHinted is how many models modelHint names.
const maxHinted = 3

// modelHint asks whether other models are meant, which have the methods of a history with
// these arguments, while s lacks one of them or is nil. It returns "" if there is no such model.
func modelHint(h *history.History, s replay.Spec) string {
	if h == nil || s != nil && fits(h, s) || s == nil && h.Model != "" {
		return ""
	}
	var methods, models []string
	for i := range h.Ops {
		if m := h.Ops[i].Method; !slices.Contains(methods, m) && len(methods) < 10 {
			methods = append(methods, m)
		}
	}
	for _, e := range spec.All() {
		isJava := strings.HasPrefix(e.Doc, "java.")
		if other, err := spec.Lookup(e.Name, nil); err == nil && !(isJava && len(models) > 0) && len(models) < maxHinted && fits(h, other) {
			models = append(models, e.Name)
		}
	}
	if len(models) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: --model %s?", strings.Join(methods, ", "), strings.Join(models, " or "))
}

// fits reports whether a specification has the methods of a history, with these arguments.
func fits(h *history.History, s replay.Spec) bool {
	for i := range h.Ops {
		op := h.Ops[i]
		op.Result = history.UnknownValue
		if s.Check(&op) != nil {
			return false
		}
	}
	return true
}
