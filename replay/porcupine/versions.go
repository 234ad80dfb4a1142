package porcupine

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Versions returns the version that an operation recorded, of an object that numbers its
// changes: a revision, the version of a key, the index of a log, a fencing token. It returns a negative
// number if there is none. Its methods are the functions of this package with the same
// names; an operation with a smaller version then takes effect first. Two operations that
// contradict that are found without a search, and all others leave it less to try:
//
//	revision := porcupine.Versions(func(op porcupine.Operation) int64 { return op.Output.(response).Revision })
//	result, info := revision.CheckOperationsVerbose(model, ops, time.Minute)
//
// If the model has a partition, versions are those of its elements. See replay.ByVersion.
type Versions func(op porcupine.Operation) int64

// CheckOperations is the function CheckOperations with versions.
func (v Versions) CheckOperations(model porcupine.Model, ops []porcupine.Operation) bool {
	return v.check(model, ops, false, 0).mustDecide()
}

// CheckOperationsTimeout is the function CheckOperationsTimeout with versions.
func (v Versions) CheckOperationsTimeout(model porcupine.Model, ops []porcupine.Operation, timeout time.Duration) porcupine.CheckResult {
	return v.check(model, ops, false, timeout).Result()
}

// CheckOperationsVerbose is the function CheckOperationsVerbose with versions.
func (v Versions) CheckOperationsVerbose(model porcupine.Model, ops []porcupine.Operation, timeout time.Duration) (porcupine.CheckResult, Info) {
	info := v.check(model, ops, true, timeout)
	return info.Result(), *info
}

func (v Versions) check(model porcupine.Model, ops []porcupine.Operation, verbose bool, timeout time.Duration) *Info {
	c, err := fromOperations(model, ops)
	if err == nil {
		err = c.setVersions(v)
	}
	return check(context.Background(), c, err, verbose, timeout)
}

// setVersions sets the versions of the operations, and narrows their intervals for porcupine's search.
func (c *converter) setVersions(v Versions) (err error) {
	defer recovered("reading versions", &err)
	parts := make([][]*recorded, len(c.spec.parts))
	for _, op := range c.ops {
		n := v(porcupine.Operation{ClientId: op.client, Input: op.input, Call: op.call, Output: op.output, Return: op.ret})
		if n >= 0 && n < math.MaxInt64 {
			op.version = history.VersionOf(n)
			parts[op.part] = append(parts[op.part], op)
		}
	}
	for _, part := range parts {
		c.contradicts = narrow(part) || c.contradicts
	}
	return nil
}

// narrow makes no operation begin before one with a smaller version, nor end after one with a larger
// version. It reports whether an interval is empty then: versions contradict real time.
func narrow(ops []*recorded) (contradicts bool) {
	slices.SortFunc(ops, func(a, b *recorded) int { return cmp.Compare(a.version, b.version) })
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	for i := 0; i < len(ops); {
		next := from
		for version := ops[i].version; i < len(ops) && ops[i].version == version; i++ {
			ops[i].from = max(ops[i].from, from)
			next = max(next, ops[i].call)
		}
		from = next
	}
	for i := len(ops) - 1; i >= 0; {
		next := to
		for version := ops[i].version; i >= 0 && ops[i].version == version; i-- {
			ops[i].to = min(ops[i].to, to)
			next = min(next, ops[i].ret)
			contradicts = contradicts || ops[i].to < ops[i].from
		}
		to = next
	}
	return contradicts
}

// VersionUse says that an operation made or saw its version; see replay.Versioned.
func (s *specification) VersionUse(op *history.Operation) replay.VersionUse {
	if op.Version == 0 {
		return replay.VersionUse{}
	}
	return replay.VersionUse{Kind: replay.AnyVersion, Version: op.Version, Part: s.find(op.Method, op.Args).partArg}
}
