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

// Reveals returns the keys that op shows, with the revisions that wrote them; see
// replay.Revealing. Of a transaction, these are the keys that it put, and those whose mod
// revisions it compared.
func (s etcdSpec) Reveals(op *history.Operation) ([]replay.Shown, []replay.Absence) {
	use := s.VersionUse(op)
	var shows etcdShows
	revision, isKnown := use.Version.Number()
	if !isKnown {
		return nil, nil
	}
	result := op.Result.List()
	switch op.Method {
	case "put":
		shows.key(op.Args[0], op.Args[1], revision, revision)
	case "delete":
		shows.none(revision, op.Args[0].Equal)
	case "get", "range", "keys":
		if len(result) == 3 && result[0].Kind() == history.List {
			shows.kvs(op, result[0].List(), revision)
		}
	case "txn":
		if held, ok := etcdBranch(op); ok && use.Kind != replay.AnyVersion {
			shows.txn(op.Args, held, use.Kind == replay.NewVersion, revision)
		}
	}
	return shows.shown, shows.absent
}

// AppendHeld appends the values that op may put under keys, and those that it found there; see
// replay.Holder. What a transaction found may be what it put itself.
func (s etcdSpec) AppendHeld(dst []replay.Held, op *history.Operation) []replay.Held {
	result := op.Result.List()
	found := func(kvs value) {
		for _, kv := range kvs.List() {
			if l := kv.List(); len(l) == 4 {
				dst = append(dst, replay.Held{Value: l[1], Part: l[0], Verb: "put"})
			}
		}
	}
	switch op.Method {
	case "put":
		return append(dst, replay.Held{Value: op.Args[1], Part: op.Args[0], Puts: true, Verb: "put"})
	case "get", "range":
		if len(result) == 3 {
			found(result[0])
		}
	case "txn", "persisted":
		branches := op.Args[1:]
		if held, ok := etcdBranch(op); ok {
			branches = branches[:1]
			if !held {
				branches = op.Args[2:]
			}
			for i, step := range branches[0].List() {
				if name := step.List()[0].Text(); (name == "get" || name == "range") && i < len(result[1].List()) {
					if l := result[1].List()[i].List(); len(l) == 2 {
						found(l[0])
					}
				}
			}
		}
		for _, steps := range branches {
			for _, step := range steps.List() {
				if l := step.List(); l[0].Text() == "put" {
					dst = append(dst, replay.Held{Value: l[2], Part: l[1], Puts: true, Verb: "put"})
				}
			}
		}
	}
	return dst
}

// etcdBranch reports whether the compares of a transaction held, if its result says so.
func etcdBranch(op *history.Operation) (held, ok bool) {
	if l := op.Result.List(); op.Method == "txn" && op.Result.Kind() == history.List && len(l) == 3 && l[0].Kind() == history.Bool {
		return l[0].Bool(), true
	}
	return false, false
}

// etcdShows is what an operation shows of keys.
type etcdShows struct {
	shown  []replay.Shown
	absent []replay.Absence
}

func (s *etcdShows) key(key, content value, from, until int64) {
	s.shown = append(s.shown, replay.Shown{Part: key, Value: content, From: from, Until: until})
}

func (s *etcdShows) none(at int64, has func(value) bool) {
	s.absent = append(s.absent, replay.Absence{At: at, Has: has})
}

// kvs adds the keys that a get, range or keys returned, and the absence of all others in its range.
func (s *etcdShows) kvs(op *history.Operation, kvs []value, revision int64) {
	start, end, limit := op.Args[0], "", int64(0)
	if op.Method != "get" {
		end, limit = op.Args[1].Text(), op.Args[2].Int()
	}
	listed := map[string]bool{}
	for _, kv := range kvs {
		l := kv.List()
		if len(l) != 4 || l[0].Kind() != history.String {
			return
		}
		content := l[1]
		if op.Method == "keys" {
			content = value{}
		}
		if listed[l[0].Text()] = true; l[2].Kind() == history.Int {
			s.key(l[0], content, l[2].Int(), revision)
		}
	}
	if limit <= 0 || int64(len(kvs)) < limit {
		s.none(revision, func(key value) bool {
			return key.Text() >= start.Text() && isBefore(key, start, end) && !listed[key.Text()]
		})
	}
}

// txn adds what the compares of a transaction that held show of the revision before its own, and
// the puts of a transaction that deletes nothing.
func (s *etcdShows) txn(args []value, held, isNew bool, revision int64) {
	before, steps := revision, args[2].List()
	if isNew {
		before--
	}
	if held {
		steps = args[1].List()
		for _, c := range args[0].List() {
			switch l := c.List(); {
			case l[0].Text() != "mod":
			case l[2].Int() == 0:
				s.none(before, l[1].Equal)
			default:
				s.key(l[1], value{}, l[2].Int(), before)
			}
		}
	}
	if slices.ContainsFunc(steps, func(step value) bool { return step.List()[0].Text() == "delete" }) {
		return
	}
	isPut := func(step, key value) bool { return step.List()[0].Text() == "put" && step.List()[1].Equal(key) }
	for i, step := range steps {
		key := step.List()[1]
		if isPut(step, key) && !slices.ContainsFunc(steps[i+1:], func(later value) bool { return isPut(later, key) }) {
			s.key(key, step.List()[2], revision, revision)
		}
	}
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
	if held, ok := etcdBranch(op); ok {
		taken := op.Args[2]
		if held {
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
