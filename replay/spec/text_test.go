package spec

import (
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// TestTexts: states with equal keys have equal texts. States with different
// keys have different texts, unless keys show more than a text does.
func TestTexts(t *testing.T) {
	r := newRandom(t)
	for i := range models {
		m := &models[i]
		t.Run(m.text, func(t *testing.T) {
			s, methods := m.open(t)
			keys, texts := map[string]string{}, map[string]string{}
			for range 1000 {
				state := s.New().(replay.State)
				for range r.IntN(12) {
					state.Apply(m.invocation(r, methods))
				}
				k, text := key(state), replay.StateText(state)
				if text == "" {
					t.Fatalf("the state with key %x has no text", k)
				}
				if other, ok := texts[k]; ok && other != text {
					t.Fatalf("states with key %x have the texts %s and %s", k, text, other)
				}
				if other, ok := keys[text]; ok && other != k && !strings.HasPrefix(m.text, "ConcurrentHashMap") {
					t.Fatalf("states with keys %x and %x have the text %s", k, other, text)
				}
				keys[text], texts[k] = k, text
			}
		})
	}
}

// TestTextExamples has a text of every type of state.
func TestTextExamples(t *testing.T) {
	for _, test := range []struct{ model, calls, want string }{
		{"register", "write \"a\" = ", `"a"`},
		{"register", "", "null"},
		{"cas-register:1", "cas 1 2 = ", "2"},
		{"counter", "add -3 = ", "-3"},
		{"kv", "put 1 2 = ; put 0 \"b\" = ; put 2 null = ", `{0="b", 1=2, 2=null}`},
		{"kv", "", "{}"},
		{"set", "add 2 = ; add 1 = ", "{1, 2}"},
		{"multiset", "add 2 = ; add 1 = ; add 2 = ", "{1, 2, 2}"},
		{"stack", "push 1 = ; push 2 = ; push 3 = ", "[3, 2, 1]"},
		{"queue:5", "enqueue 1 = ; enqueue 2 = ; dequeue = ; enqueue 3 = ", "[2, 3]"},
		{"deque", "pushFront 1 = ; pushBack 2 = ; pushFront [1,2] = ", "[[1, 2], 1, 2]"},
		{"priority-queue", "insert 3 = ; insert 1 = ; insert 3 = ", "[1, 3, 3]"},
		{"priority-queue:max", "insert 3 = ; insert 1 = ; insert 3 = ", "[3, 3, 1]"},
		{"mutex", "", "free"},
		{"mutex", "lock = ", "held"},
		{"multi-register:0", "write 1 2 = ; write 3 0 = ", "{1=2}"},
		{"versioned-kv", "put \"a\" 5 0 = ; put \"b\" null 0 = ; put \"a\" 6 1 = ", `{"a"=6 at version 2, "b"=null at version 1}`},
		{"log", "append 1 = ; append \"a\" = ", `[1, "a"]`},
		{"log", "", "[]"},
		{"lock", "", "free"},
		{"lock", "acquire \"a\" = ; release \"a\" = ", "free, the last token was 0"},
		{"lock", "acquire \"a\" = ", `held by "a" with token 0`},
		{`bank:{"a":3,"b":1}`, "transfer \"a\" \"b\" 2 = ", `{"a": 1, "b": 3}`},
		{"etcd", "", "revision 1: {}"},
		{"etcd", `leaseGrant 7 = ; put "b" 1 7 = ; put "a" "x" = ; put "b" 2 7 = `,
			`revision 4: {"a"="x" (create 3, mod 3, version 1), "b"=2 (create 2, mod 4, version 2, lease 7)}, leases [7]`},
		{"ArrayBlockingQueue:3", "add 2 = ; add 1 = ", "[2, 1]"},
		{"LinkedBlockingDeque", "addFirst 2 = ; addFirst 1 = ", "[1, 2]"},
		{"PriorityBlockingQueue", "add 3 = ; add 2 = ; add 1 = ", "[1, 3, 2]"},
		{"ConcurrentHashMap", "put 1 2 = ; put 0 1 = ", "{0=1, 1=2}"},
		{"ConcurrentSkipListMap", "put 1 2 = ; put 0 1 = ", "{0=1, 1=2}"},
		{"ConcurrentSkipListSet", "add 1 = ; add 0 = ", "{0, 1}"},
	} {
		s, err := Parse(test.model)
		if err != nil {
			t.Fatal(err)
		}
		state := s.New().(replay.State)
		if test.calls != "" {
			run(t, state, test.calls)
		}
		if got := replay.StateText(state.Clone()); got != test.want {
			t.Errorf("%s; %s: %s, want %s", test.model, test.calls, got, test.want)
		}
	}
}

// TestRunsText: the text of a state of runs is the calls that lead to it.
func TestRunsText(t *testing.T) {
	s, err := Lookup(RunsName, parseList(t, `["set", [["add", [1], [true], [["clear", [], [], []]]], ["remove", [1], [false], [["add", [1], [true], []]]]]]`))
	if err != nil {
		t.Fatal(err)
	}
	one := []history.Value{history.IntValue(1)}
	state := s.New()
	for _, step := range []struct {
		inv  replay.Invocation
		want string
	}{
		{replay.Invocation{}, "new"},
		{replay.Invocation{Method: "remove", Args: one}, "after remove(1): false"},
		{replay.Invocation{Method: "add", Args: one}, "after remove(1): false, add(1): true"},
	} {
		if step.inv.Method != "" {
			if _, ok := state.Apply(step.inv); !ok {
				t.Fatal("no transition")
			}
		}
		if got := replay.StateText(state); got != step.want {
			t.Errorf("%q, want %q", got, step.want)
		}
	}
}
