package peers_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/benchdata/bench/peers"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

var (
	seedFlag      = flag.Uint64("seed", 1, "seed of the random histories")
	historiesFlag = flag.Int("histories", 2000, "number of random histories to compare per type")
	firstFlag     = flag.Int("first", 0, "number of the first of them")
	outFlag       = flag.String("out", "", "directory for the histories on which verdicts differ; by default a temporary one")
)

// models are the arguments of the specifications under test, where they take or
// require any.
var models = map[string][]string{
	"register": {"register:0"}, "cas-register": {"cas-register:0"}, "multi-register": {"multi-register:0", "multi-register"},
	"queue": {"queue", "queue:2"}, "priority-queue": {"priority-queue", "priority-queue:max"},
	"kv": {"kv", `kv:""`}, "ArrayBlockingQueue": {"ArrayBlockingQueue:2"},
	"LinkedBlockingQueue": {"LinkedBlockingQueue", "LinkedBlockingQueue:2"},
	"LinkedBlockingDeque": {"LinkedBlockingDeque", "LinkedBlockingDeque:2"},
	"bank":                {`bank:{false: 1, true: 0, null: 2, 0: 1, -1: 0, 1: 1, "": 2, "a": 0, []: 1, [null]: 0, [1, 2]: 1, 2: 1, 3: 0}`},
}

// subjects returns all bundled specifications and a nondeterministic one.
func subjects(t testing.TB) []subject {
	var list []subject
	for _, e := range spec.All() {
		if e.Name == spec.RunsName { // has no fixed methods
			continue
		}
		texts := models[e.Name]
		if texts == nil {
			texts = []string{e.Name}
		}
		for _, text := range texts {
			s, err := spec.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, subject{text, s, signatures(e.Name)})
		}
	}
	return append(list, subject{"flaky-queue", flakyQueue(), []signature{parse("put(value: int) -> bool"), parse("take() -> null|int")}})
}

// flakyQueue may reject a put although it has room, and may return "empty"
// although it is not empty.
func flakyQueue() replay.Spec {
	type queue = string // of bytes
	return &replay.Model[queue]{
		Label: "flaky-queue",
		Next: func(q queue, inv replay.Invocation) []replay.Step[queue] {
			if inv.Method == "put" {
				longer := q + string(rune(inv.Args[0].Int()+1))
				return []replay.Step[queue]{{Result: history.BoolValue(true), Next: longer}, {Result: history.BoolValue(false), Next: q}}
			}
			steps := []replay.Step[queue]{{Result: history.NullValue, Next: q}}
			if q != "" {
				steps = append(steps, replay.Step[queue]{Result: history.IntValue(int64(q[0]) - 1), Next: q[1:]})
			}
			return steps
		},
		Key: func(dst []byte, q queue) []byte {
			return append(binary.AppendUvarint(dst, uint64(len(q))), q...)
		},
	}
}

// A tally counts the comparisons of one type.
type tally struct {
	legal, illegal, right, pending, unknown int
	families                                int // histories that families alone decided
	differ                                  int
	operations                              int
}

func (a *tally) add(b tally) {
	a.legal += b.legal
	a.illegal += b.illegal
	a.right += b.right
	a.pending += b.pending
	a.unknown += b.unknown
	a.families += b.families
	a.differ += b.differ
	a.operations += b.operations
}

// familyMax is the largest number of operations for which families decide
// alone. That takes as many schedules as there are linear extensions.
const familyMax = 6

// engines returns the options with which leadline checks the k-th history, of n
// operations. All but families have to decide.
func engines(k, n int) map[string]replay.Options {
	all := map[string]replay.Options{
		"auto":   {MaxDepth: 1 + k%3},
		"search": {Engine: replay.SearchEngine},
	}
	if k%50 == 0 {
		all["auto at depth 5"] = replay.Options{}
	}
	if n <= familyMax-1 || n <= familyMax && k%8 == 0 {
		all["families"] = replay.Options{Engine: replay.FamiliesEngine, MaxDepth: n + 1, Chains: replay.ChainMode(k % 3)}
	}
	return all
}

// compare compares all verdicts on one history with porcupine's and returns the
// differences.
func compare(s subject, model porcupine.Model, k int, count *tally) (h *history.History, differences []string) {
	r := s.rand(k)
	h, right, err := randomHistory(r, s)
	if err != nil {
		return nil, []string{err.Error()}
	}
	result, err := peers.Check(h, model, 0)
	if err != nil {
		return h, []string{err.Error()}
	}
	want := replay.NotLinearizable
	if result == porcupine.Ok {
		want = replay.Linearizable
		count.legal++
	} else {
		count.illegal++
	}
	count.operations += len(h.Ops)
	if h.Pending() > 0 {
		count.pending++
	}
	for i := range h.Ops {
		if op := &h.Ops[i]; !op.Pending() && op.Result.Kind() == history.Unknown {
			count.unknown++
			break
		}
	}
	if right {
		count.right++
		if want != replay.Linearizable {
			differences = append(differences, "porcupine reports illegal for a history that is linearizable by construction")
		}
	}
	for name, o := range engines(k, len(h.Ops)) {
		v, err := decide.Check(context.Background(), h, s.spec, o)
		switch {
		case err != nil:
			differences = append(differences, fmt.Sprintf("%s: %v", name, err))
		case v.Answer != want && (v.Answer != replay.Undecided || name != "families"):
			differences = append(differences, fmt.Sprintf("%s reports %v, porcupine %v", name, v.Answer, want))
		case name == "families" && v.Answer != replay.Undecided:
			count.families++
		}
	}
	return h, differences
}

// rand returns the random source of the k-th history of the subject.
func (s subject) rand(k int) *rand.Rand {
	name := fnv.New64a()
	name.Write([]byte(s.name))
	return rand.New(rand.NewPCG(*seedFlag^name.Sum64(), uint64(k)))
}

// TestOracle compares verdicts. For a long run:
//
//	go test -run TestOracle -v -timeout 0 -histories 100000
func TestOracle(t *testing.T) {
	t.Logf("-seed %d -first %d -histories %d", *seedFlag, *firstFlag, *historiesFlag)
	n := *historiesFlag
	if testing.Short() {
		n = min(n, 200)
	}
	var total tally
	for _, s := range subjects(t) {
		t.Run(s.name, func(t *testing.T) {
			count := compareMany(t, s, n)
			total.add(count)
			t.Logf("%d legal (%d of all by construction), %d illegal; %d with pending operations, %d with unknown results; %d decided by families too; %d differ",
				count.legal, count.right, count.illegal, count.pending, count.unknown, count.families, count.differ)
			if n >= 200 && (count.illegal < n/50 || count.legal < n/50 || count.pending < n/50 || count.unknown < n/50) {
				t.Errorf("too few legal or illegal among %d histories", n)
			}
		})
	}
	t.Logf("in all: %d histories of %d operations, %d legal, %d illegal, %d differ",
		total.legal+total.illegal, total.operations, total.legal, total.illegal, total.differ)
}

// TestOracleNotices uses a queue with room for one more value in porcupine.
func TestOracleNotices(t *testing.T) {
	for _, s := range subjects(t) {
		if s.name != "queue:2" {
			continue
		}
		wrong, err := spec.Parse("queue:3")
		if err != nil {
			t.Fatal(err)
		}
		model, err := peers.Model(wrong)
		if err != nil {
			t.Fatal(err)
		}
		var count tally
		differ := 0
		for k := range 500 {
			if _, differences := compare(s, model, k, &count); len(differences) > 0 {
				differ++
			}
		}
		if differ == 0 {
			t.Error("nothing differs")
		}
		t.Logf("%d of 500 differ", differ)
	}
}

// maxShown is the largest number of disagreements printed per type.
const maxShown = 5

// compareMany distributes the histories over as many workers as there are
// processors. Each history depends only on its number.
func compareMany(t *testing.T, s subject, n int) tally {
	model, err := peers.Model(s.spec)
	if err != nil {
		t.Fatal(err)
	}
	var (
		mu    sync.Mutex
		wg    sync.WaitGroup
		total tally
	)
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			var count tally
			for k := *firstFlag + w; k < *firstFlag+n; k += workers {
				h, differences := compare(s, model, k, &count)
				if len(differences) == 0 {
					continue
				}
				count.differ++
				mu.Lock()
				if total.differ+count.differ <= maxShown {
					t.Errorf("To reproduce: go test -run 'TestOracle/%s' -seed %d -first %d -histories 1\n%s\n%s",
						s.name, *seedFlag, k, strings.Join(differences, "\n"), write(t, s, k, h))
				}
				mu.Unlock()
			}
			mu.Lock()
			total.add(count)
			mu.Unlock()
		})
	}
	wg.Wait()
	if total.differ > 0 {
		t.Errorf("%d of %d histories differ", total.differ, n)
	}
	return total
}

// write writes the history to a file in leadline's native format and returns
// its content.
func write(t *testing.T, s subject, k int, h *history.History) string {
	if h == nil {
		return "no history"
	}
	dir := *outFlag
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "peers"); err != nil {
			return err.Error()
		}
	}
	var text strings.Builder
	if err := codec.Encode(&text, h); err != nil {
		return err.Error()
	}
	name := filepath.Join(dir, fmt.Sprintf("%s-%d-%d.jsonl", strings.Map(plain, s.name), *seedFlag, k))
	if err := os.WriteFile(name, []byte(text.String()), 0o644); err != nil {
		t.Error(err)
	}
	return fmt.Sprintf("leadline check --model '%s' %s\n%s", s.name, name, text.String())
}

func plain(r rune) rune {
	if strings.ContainsRune(`:"`, r) {
		return '-'
	}
	return r
}
