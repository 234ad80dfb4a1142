package spec

import (
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// An etcdSpec is the key-value store of etcd as etcd's robustness tests describe it, with the
// revision of each response. It knows what revisions order, and checks the contents of
// transactions.
//
// Unlike those tests, a put with a lease that does not exist has no transition, as etcd refuses
// the transaction; and it knows nothing of compactions and older revisions.
type etcdSpec struct {
	*table.Specification[*etcdStore]
}

// etcdStepMethods are the methods that may be steps of a transaction.
var etcdStepMethods = []string{"put", "get", "range", "keys", "delete"}

// isEtcdTxn reports whether op has compares and two lists of steps.
func isEtcdTxn(op *history.Operation) bool { return op.Method == "txn" || op.Method == "persisted" }

// Check returns an error if op is wrong; see replay.Spec.
func (s etcdSpec) Check(op *history.Operation) error {
	if err := s.Specification.Check(op); err != nil || !isEtcdTxn(op) {
		return err
	}
	for i, c := range op.Args[0].List() {
		if err := checkEtcdCompare(c); err != nil {
			return fmt.Errorf("compare %d of %s: %w", i+1, op.Method, err)
		}
	}
	for _, steps := range op.Args[1:] {
		for i, step := range steps.List() {
			if err := s.checkStep(step); err != nil {
				return fmt.Errorf("step %d of %s: %w", i+1, op.Method, err)
			}
		}
	}
	return nil
}

// checkEtcdCompare returns an error for a malformed compare.
func checkEtcdCompare(c value) error {
	l := c.List()
	if c.Kind() != history.List || len(l) != 3 || l[0].Kind() != history.String || l[1].Kind() != history.String {
		return fmt.Errorf("want [what, key, expected], got %s", c)
	}
	switch l[0].Text() {
	case "value":
		return nil
	case "mod", "create", "version":
		if l[2].Kind() != history.Int {
			return fmt.Errorf("%s is an int, got %s", l[0].Text(), l[2])
		}
		return nil
	}
	return fmt.Errorf("want mod, create, version or value, got %s", l[0])
}

// checkStep returns an error for a malformed step of a transaction.
func (s etcdSpec) checkStep(step value) error {
	l := step.List()
	if step.Kind() != history.List || len(l) == 0 || !slices.Contains(etcdStepMethods, l[0].Text()) {
		return fmt.Errorf("want put, get, range, keys or delete with their arguments, got %s", step)
	}
	return s.Specification.Check(&history.Operation{Method: l[0].Text(), Args: l[1:], Result: history.UnknownValue})
}

// Facts returns the facts of op; see replay.Described.
func (s etcdSpec) Facts(op *history.Operation) replay.Facts {
	known := s.Specification.Facts(op)
	if op.Method == "delete" || isEtcdTxn(op) {
		known.ReadOnly = etcdVersionKind(op) == replay.SeenVersion
	}
	return known
}

// VersionUse says what the revision of op orders; see replay.Versioned. It is that of the whole
// store. A result without one may have it beside it.
func (s etcdSpec) VersionUse(op *history.Operation) replay.VersionUse {
	use := replay.VersionUse{Kind: etcdVersionKind(op), Version: op.Version}
	revision := op.Result
	if l := op.Result.List(); op.Result.Kind() == history.List && len(l) > 0 {
		revision = l[len(l)-1]
	}
	if revision.Kind() == history.Int && revision.Int() >= 0 {
		use.Version = history.VersionOf(revision.Int())
	}
	return use
}

// etcdVersionKind says whether an operation that has its recorded result made its revision.
func etcdVersionKind(op *history.Operation) replay.VersionKind {
	result := op.Result.List()
	switch op.Method {
	case "put":
		return replay.NewVersion
	case "delete":
		if op.Result.Kind() != history.List || len(result) != 2 {
			return replay.AnyVersion
		}
		return stepsVersionKind([]value{history.ListValue(history.StringValue("delete"))}, result[:1])
	case "leaseRevoke":
		return replay.AnyVersion
	case "txn", "persisted":
	default:
		return replay.SeenVersion
	}
	if op.Method == "txn" && op.Result.Kind() == history.List && len(result) == 3 && result[0].Kind() == history.Bool {
		taken := op.Args[2]
		if result[0].Bool() {
			taken = op.Args[1]
		}
		return stepsVersionKind(taken.List(), result[1].List())
	}
	// It is not known which list of steps was performed.
	success, failure := stepsVersionKind(op.Args[1].List(), nil), stepsVersionKind(op.Args[2].List(), nil)
	if success == failure || len(op.Args[0].List()) == 0 {
		return success
	}
	return replay.AnyVersion
}

// stepsVersionKind is etcdVersionKind for steps with their results, which may be missing.
func stepsVersionKind(steps, results []value) replay.VersionKind {
	kind := replay.SeenVersion
	for i, step := range steps {
		switch step.List()[0].Text() {
		case "put":
			return replay.NewVersion
		case "delete":
			switch {
			case i >= len(results) || results[i].Kind() != history.Int:
				kind = replay.AnyVersion
			case results[i].Int() > 0:
				return replay.NewVersion
			}
		}
	}
	return kind
}
