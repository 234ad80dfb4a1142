package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
)

func TestParse(t *testing.T) {
	tests := []struct{ text, want string }{ // want is the name with arguments, or the error after "error: "
		{"queue", "queue"},
		{"queue:3", "queue:3"},
		{"QUEUE:3", "queue:3"},
		{"arrayblockingqueue:20", "ArrayBlockingQueue:20"},
		{"java.util.concurrent.ArrayBlockingQueue:20,false", "ArrayBlockingQueue:20,false"},
		{"register:-1", "register:-1"},
		{"register:1.5", "register:1.5"},
		{"register:null", "register:null"},
		{"register:true", "register:true"},
		{"register:word", `register:"word"`},
		{`register:"a,b"`, `register:"a,b"`},
		{`kv:""`, `kv:""`},
		{"priority-queue:max", `priority-queue:"max"`},
		{"ConcurrentHashMap:64", "ConcurrentHashMap:64"},

		{"queu", `error: unknown model "queu" (closest: queue, set, deque)`},
		{"java.util.concurrent.queue", `error: unknown model "java.util.concurrent.queue" (closest: queue, deque, set)`},
		{"", `error: unknown model "" (closest: kv, set, log)`},
		{"queue:", `error: model queue:: an argument is empty (write "" for the empty string)`},
		{"queue:1,", `error: model queue:1,: an argument is empty (write "" for the empty string)`},
		{"queue:1,2", "error: queue takes at most 1 argument, got 2"},
		{"queue:0", "error: queue: capacity must be a positive int, got 0"},
		{"queue:x", `error: queue: capacity must be of kind int, got "x"`},
		{"register:?", "error: register: initial value must be known, and no exception, got ?"},
		{"register:1x", "error: model register:1x: \"1x\" is not a value; a string needs double quotes"},
		{`register:"x`, `error: model register:"x: the string "\"x" does not end or is not as in Go`},
		{`register:"x"y`, `error: model register:"x"y: argument "x" is followed by "y"`},
		{"mutex:1", "error: mutex takes no arguments, got 1"},
		{"set:1", "error: set takes no arguments, got 1"},
		{"multiset:1", "error: multiset takes no arguments, got 1"},
		{"stack:1", "error: stack takes no arguments, got 1"},
		{"deque:1", "error: deque takes no arguments, got 1"},
		{"counter:a", `error: counter: initial value must be of kind int, got "a"`},
		{`bank:{"a":1,"b":0}`, `bank:{"a": 1, "b": 0}`},
		{"bank:{0:1}", "bank:{0: 1}"},
		{"bank", "error: bank needs an argument: bank:balances"},
		{"bank:1", "error: bank: balances must be a map, got 1"},
		{`bank:{"a":-1}`, `error: bank: the balance of "a" must be an int from 0 on, and their sum an int, got -1`},
		{`bank:{"a":1,"b":9223372036854775807}`, `error: bank: the balance of "b" must be an int from 0 on, and their sum an int, got 9223372036854775807`},
		{"lock:1", "error: lock takes no arguments, got 1"},
		{`etcd:["version"]`, `etcd:["version"]`},
		{"etcd:1", "error: etcd: the list of what results lack must be of kind list, got 1"},
		{`etcd:["create"]`, `error: etcd: what results lack must be revision, mod, version, count or deleted, got "create"`},
		{"kv:1,2", "error: kv takes at most 1 argument, got 2"},
		{"cas-register:1,2", "error: cas-register takes at most 1 argument, got 2"},
		{"priority-queue:big", `error: priority-queue: order must be min or max, got "big"`},
		{"priority-queue:1", "error: priority-queue: order must be of kind string, got 1"},
		{"ArrayBlockingQueue", "error: ArrayBlockingQueue needs an argument: ArrayBlockingQueue:capacity[,fair]"},
		{"ArrayBlockingQueue:0", "error: ArrayBlockingQueue: capacity must be a positive int, got 0"},
		{"ArrayBlockingQueue:2147483648", "error: ArrayBlockingQueue: capacity must be a Java int, got 2147483648"},
		{"ArrayBlockingQueue:1,2", "error: ArrayBlockingQueue: fairness must be true or false, got 2"},
		{"ArrayBlockingQueue:1,true,3", "error: ArrayBlockingQueue takes at most 2 arguments, got 3"},
		{"LinkedBlockingQueue", "LinkedBlockingQueue"},
		{"LinkedBlockingQueue:7", "LinkedBlockingQueue:7"},
		{"java.util.concurrent.LinkedBlockingDeque:7", "LinkedBlockingDeque:7"},
		{"PriorityBlockingQueue:11", "PriorityBlockingQueue:11"},
		{"LinkedBlockingQueue:0", "error: LinkedBlockingQueue: capacity must be a positive int, got 0"},
		{"LinkedBlockingDeque:1,2", "error: LinkedBlockingDeque takes at most 1 argument, got 2"},
		{"PriorityBlockingQueue:0", "error: PriorityBlockingQueue: initial capacity must be a positive int, got 0"},
		{"ConcurrentLinkedDeque:1", "error: ConcurrentLinkedDeque takes no arguments, got 1"},
		{"ConcurrentSkipListMap:1", "error: ConcurrentSkipListMap takes no arguments, got 1"},
		{"ConcurrentSkipListSet:1", "error: ConcurrentSkipListSet takes no arguments, got 1"},
		{"LinkedTransferQueue:1", "error: LinkedTransferQueue takes no arguments, got 1"},
		{"ConcurrentLinkedQueue:1", "error: ConcurrentLinkedQueue takes no arguments, got 1"},
		{"ConcurrentHashMap:-1", "error: ConcurrentHashMap: initial capacity must be an int from 0 to 65536, got -1"},
		{"ConcurrentHashMap:65537", "error: ConcurrentHashMap: initial capacity must be an int from 0 to 65536, got 65537"},
		{"ConcurrentHashMap:null", "error: ConcurrentHashMap: initial capacity must be of kind int, got null"},
	}
	for _, test := range tests {
		s, err := Parse(test.text)
		got := fmt.Sprint(s)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != test.want {
			t.Errorf("Parse(%s): got %s, want %s", test.text, got, test.want)
		}
		if err == nil && !strings.HasPrefix(test.want, s.Name()) {
			t.Errorf("Parse(%s) is named %s", test.text, s.Name())
		}
	}
}

// TestLookup: Parse reads what String prints, and a caller may modify the
// arguments.
func TestLookup(t *testing.T) {
	args := []history.Value{history.StringValue("a,\"b")}
	s, err := Lookup("Register", args)
	if err != nil {
		t.Fatal(err)
	}
	args[0] = history.NullValue
	again, err := Parse(fmt.Sprint(s))
	if err != nil || fmt.Sprint(again) != `register:"a,\"b"` {
		t.Errorf("Parse(%v) = %v, %v", s, again, err)
	}
}

func TestAll(t *testing.T) {
	all := All()
	if len(all) != len(entries)+1 { // and runs
		t.Fatalf("%d entries, want %d", len(all), len(entries)+1)
	}
	seen := map[string]bool{}
	for _, e := range all {
		if lower := strings.ToLower(e.Name); seen[lower] {
			t.Errorf("%s occurs twice, ignoring case", e.Name)
		} else {
			seen[lower] = true
		}
		if e.Doc == "" || len(e.Methods) == 0 && e.Name != RunsName {
			t.Errorf("%s has no description", e.Name)
		}
		var args []history.Value
		if strings.HasPrefix(e.Args, ":") {
			args = append(args, history.IntValue(1))
		}
		switch e.Name {
		case RunsName:
			args = parseList(t, `["object", []]`)
		case "bank":
			args = parseList(t, `[{"a": 1}]`)
		}
		s, err := Lookup(e.Name, args)
		if err != nil || s.Name() != e.Name {
			t.Errorf("Lookup(%s): %v, %v", e.Name, s, err)
		}
	}
	i := slices.IndexFunc(all, func(e Entry) bool { return e.Name == "ConcurrentHashMap" })
	if !slices.Contains(all[i].Methods, "remove(key: null|int, value: null|int) -> bool") {
		t.Errorf("no remove(key, value) among %q", all[i].Methods)
	}
}
