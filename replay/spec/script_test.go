package spec

import (
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// scripts use every method of every specification under each of its names;
// TestScripts checks that.
var scripts = append(javaScripts, []string{
	`register; read = null; write 1 = -; read = 1; write "a" = -; get = "a"; set 1 = -; load = 1; store null = -; put 2 = -; read = 2`,
	`register:0; read = 0`,
	`register:"x"; read = "x"`,
	`cas-register; read = null; cas 0 1 = false; cas null 1 = true; read = 1; cas 0 1 = false; cas 0 2 = false; compareAndSet 1 2 = true; get = 2; compare_and_set 2 null = true; load = null`,
	`cas-register:5; write 6 = -; cas 5 7 = false; read = 6; set 1 = -; put 2 = -; store 3 = -; cas 3 "a" = true; cas "a" 0 = true; read = 0`,
	`counter; read = 0; increment = -; inc = -; get = 2; decrement = -; dec = -; dec = -; value = -1; add 10 = -; read = 9; add -4 = -; read = 5; set 7 = -; read = 7; reset 0 = -; read = 0`,
	`counter:3; getAndIncrement = 3; getAndDecrement = 4; getAndAdd 5 = 3; fetch_add 1 = 8; incrementAndGet = 10; decrementAndGet = 9; addAndGet -9 = 0`,
	`counter:9223372036854775807; increment = -; read = -9223372036854775808`,
	`kv; get 1 = null; put 1 2 = -; get 1 = 2; put 1 "a" = -; read 1 = "a"; append 1 "b" = -; get 1 = "ab"; append 2 "c" = -; get 2 = "c"; size = 2; remove 2 = "c"; remove 2 = null; len = 1`,
	`kv; write 1 null = -; get 1 = null; contains 1 = true; containsKey 2 = false; has 1 = true; delete 1 = -; delete 1 = -; contains 1 = false; set "1" 4 = -; contains 1 = false; contains "1" = true`,
	`kv; put 1 2 = -; append 1 "a" = blocks; get 1 = 2; append 3 "" = -; get 3 = ""; isEmpty = false; clear = -; is_empty = true; empty = true; length = 0; get 1 = null`,
	`kv; put 5 null = -; append 5 "a" = blocks; get 5 = null`,
	`kv:""; get 1 = ""; append 1 "a" = -; get 1 = "a"; remove 1 = "a"; remove 1 = ""; cas 1 "" "b" = true; cas 1 "" "c" = false; compareAndSet 1 "b" 3 = true; get 1 = 3`,
	`set; add 1 = true; add 1 = false; insert "a" = true; contains 1 = true; contains 2 = false; has "a" = true; size = 2; remove 1 = true; remove 1 = false; delete "a" = true; len = 0; isEmpty = true; empty = true`,
	`set; add null = true; add [1] = true; add [1] = false; is_empty = false; length = 2; contains null = true; clear = -; size = 0; contains null = false`,
	`multiset; add 1 = -; insert 1 = -; add "a" = -; count 1 = 2; count 2 = 0; contains 1 = true; has 2 = false; size = 3; len = 3; length = 3; remove 1 = true; delete 1 = true; remove 1 = false; contains 1 = false; isEmpty = false; clear = -; is_empty = true; empty = true; count "a" = 0`,
	`stack; pop = null; peek = null; push 1 = -; push 2 = -; top = 2; pop = 2; peek = 1; size = 1; len = 1; length = 1; isEmpty = false; pop = 1; is_empty = true; push "a" = -; clear = -; empty = true; pop = null`,
	`queue; dequeue = null; peek = null; enqueue 1 = -; enq 2 = -; front = 1; offer 3 = true; put 4 = -; size = 4; dequeue = 1; deq = 2; poll = 3; take = 4; take = blocks; isEmpty = true; len = 0`,
	`queue; enqueue "a" = -; enqueue null = -; length = 2; is_empty = false; dequeue = "a"; dequeue = null; empty = true; enqueue 1 = -; clear = -; size = 0; dequeue = null`,
	`queue:2; enqueue 1 = true; enq 2 = true; enqueue 3 = false; offer 3 = false; put 3 = blocks; size = 2; dequeue = 1; put 3 = -; enqueue 4 = false; deq = 2; take = 3; dequeue = null`,
	`deque; popFront = null; popBack = null; peekFront = null; peekBack = null; pushBack 2 = -; pushFront 1 = -; push_back 3 = -; push_front 0 = -; peek_front = 0; peek_back = 3; popFront = 0; popBack = 3; size = 2; len = 2`,
	`deque; addFirst 1 = -; addLast 2 = -; peekFirst = 1; peekLast = 2; pollFirst = 1; pollLast = 2; isEmpty = true; pushFront "a" = -; pop_back = "a"; pushBack "b" = -; pop_front = "b"; is_empty = true; empty = true; pushFront 3 = -; clear = -; length = 0`,
	`priority-queue; poll = null; peek = null; insert 2 = -; add 1 = -; push 3 = -; enqueue 1 = -; enq "a" = -; top = 1; size = 5; poll = 1; pop = 1; dequeue = 2; deq = 3; peek = "a"; poll = "a"; isEmpty = true; insert -5 = -; clear = -; len = 0; is_empty = true; empty = true; length = 0; poll = null`,
	`priority-queue:max; insert 2 = -; insert 7 = -; insert 7 = -; peek = 7; poll = 7; poll = 7; poll = 2; poll = null`,
	`priority-queue:min; insert 2 = -; insert 7 = -; poll = 2`,
	`set; elements = =[]; add 2 = true; add "a" = true; add 1 = true; read = =[1,2,"a"]; remove 2 = true; elements = =[1,"a"]`,
	`multi-register; read 1 = null; write 1 2 = -; get 1 = 2; put 2 3 = -; set 1 null = -; txn [["read",1,null],["write",1,5],["read",1,null],["read",2,null]] = =[["read",1,null],["write",1,5],["read",1,5],["read",2,3]]`,
	`multi-register:0; read "x" = 0; txn [] = =[]; txn [["append","x",1]] = blocks`,
	`versioned-kv; get 1 = null; put 1 "a" 1 = "no-key"; put 1 "a" 0 = "ok"; read 1 = =["a",1]; put 1 "b" 0 = "version"; write 1 null 1 = "ok"; get 1 = =[null,2]; set "1" 5 0 = "ok"; get 1 = =[null,2]; put 1 "b" 3 = "version"`,
	`log; length = 0; read 0 = null; append "a" = 0; append null = 1; append "a" = 2; size = 3; len = 3; tail = 3; read 0 = "a"; get 1 = null; get 2 = "a"; read 3 = null; read -1 = null`,
	`lock; release 1 = false; acquire 1 = 0; acquire 1 = blocks; lock 2 = blocks; tryAcquire 1 = null; tryLock 2 = null; release 2 = false; release 1 = true; unlock 1 = false; try_acquire null = 1; unlock null = true; try_lock 3 = 2; release 3 = true; lock 1 = 3`,
	`bank:{"a":3,"b":1}; read = ={a:3,b:1}; transfer "a" "b" 3 = true; transfer "a" "b" 1 = false; transfer "a" "a" 0 = true; transfer "b" "b" 4 = true; transfer "b" "b" 5 = false; balances = ={a:0,b:4}`,
	`bank:{0:1,1:0}; transfer 0 1 1 = true; transfer 0 1 1 = false; transfer 1 1 1 = true`,
	`etcd; get "a" = =[[],0,1]; put "a" "x" = 2; put "b" 7 = 3; get "a" = =[[["a","x",2,1]],1,3]; range "a" "c" 1 = =[[["a","x",2,1]],2,3]; keys "a" "\x00" 0 = =[[["a",null,2,1],["b",null,3,1]],2,3]; delete "b" = =[1,4]; delete "b" = =[0,4]`,
	`etcd; put "a" 1 5 = blocks; leaseGrant 5 = 1; put "a" 1 5 = 2; put "b" 2 5 = 3; put "b" 3 = 4; leaseRevoke 5 = 5; leaseRevoke 5 = 5; range "a" "\x00" 0 = =[[["b",3,4,2]],1,5]; leaseGrant 0 = 5; put "a" 1 5 = blocks; put "a" 1 0 = 6`,
	`etcd; txn [["mod","a",0],["create","a",0],["version","a",0]] [["put","a",1],["get","a"],["delete","b"]] [["delete","a"]] = =[true,[null,[[["a",1,2,1]],1],0],2]; txn [["value","b",null]] [] [["get","b"]] = =[false,[[[],0]],2]`,
	`etcd; persisted [] [["put","a",1]] [] = 2; txn [["value","a",1],["version","a",1],["mod","a",2]] [["delete","a"],["put","a",2]] [] = =[true,[1,null],3]; get "a" = =[[["a",2,3,1]],1,3]; persisted [] [["put","a",1,7]] [] = blocks; txn [] [["delete","a"],["put","a",1,7]] [] = blocks; get "a" = =[[["a",2,3,1]],1,3]`,
	`etcd:["version","count"]; put "a" 1 = 2; get "a" = =[[["a",1,2,null]],null,2]`,
	`etcd:["revision","mod","deleted"]; put "a" 1 = null; get "a" = =[[["a",1,null,1]],1,null]; delete "a" = =[null,null]; leaseGrant 1 = null; txn [] [["delete","a"]] [] = =[true,[null],null]`,
	`mutex; isLocked = false; unlock = blocks; lock = -; lock = blocks; is_locked = true; tryLock = false; unlock = -; try_lock = true; release = -; tryAcquire = true; release = -; acquire = -; acquire = blocks; release = -; release = blocks`,
}...)

func TestScripts(t *testing.T) {
	unused := newUnused(func(*table.Entry) bool { return true })
	for _, script := range scripts {
		if err := replayProgram(script); err != nil {
			t.Errorf("%s\n%v", script, err)
		}
		unused.strike(script)
	}
	for call := range unused {
		t.Errorf("no script uses %s", call)
	}
}

// TestScriptsCanFail: a script with a wrong result fails.
func TestScriptsCanFail(t *testing.T) {
	for _, script := range []string{
		"queue; enqueue 1 = -; dequeue = 2",
		"queue; take = null",
		"queue; enqueue 1 = blocks",
		"queue; enqueue 1 = true",
		"ArrayBlockingQueue:1; add 1 = true; add 2 = java.lang.NullPointerException",
		"ConcurrentHashMap; put 16 0 = null; put 0 0 = null; keys = [0,16]",
	} {
		if replayProgram(script) == nil {
			t.Errorf("%s passes", script)
		}
	}
}

func TestCheck(t *testing.T) {
	tests := []struct{ model, call, want string }{
		{"queue", "pop = 1", "queue has no method pop (it has enqueue, dequeue, peek, offer, put, take, size, isEmpty, clear)"},
		{"queue", "enqueue 1 2 = -", "enqueue takes 1 argument, got 2"},
		{"queue", "enqueue = -", "enqueue takes 1 argument, got 0"},
		{"queue", "enq 1 2 3 4 5 = -", "enq takes 1 argument, got 5"},
		{"queue", "size 1 = 0", "size takes 0 arguments, got 1"},
		{"queue", "enqueue 1 = true", "enqueue returns nothing, recorded bool"},
		{"queue:3", "enqueue 1 = -", "enqueue returns bool, recorded nothing"},
		{"queue", "size = true", "size returns int, recorded bool"},
		{"set", "remove 1 = 1", "remove returns bool, recorded int"},
		{"kv", "remove 1 = -", "remove returns any value, recorded nothing"},
		{"kv", "append 1 2 = -", "argument 2 of append: want string, got int"},
		{"versioned-kv", "put 1 2 -1 = blocks", "argument 3 of put: want a version, which is an int from 0 on, got -1"},
		{"versioned-kv", "put 1 2 null = blocks", "argument 3 of put: want int, got null"},
		{"versioned-kv", "put 1 2 0 = OK", `put returns "ok", "version" or "no-key", recorded "OK"`},
		{"versioned-kv", "put 1 2 0 = null", "ok"},
		{"versioned-kv", "get 1 = =[1]", "get returns [value, version], recorded [1]"},
		{"versioned-kv", `get 1 = =[1,"1"]`, `get returns [value, version], recorded [1, "1"]`},
		{"lock", "acquire 1 = -1", "acquire returns a token from 0 to 4611686018427387903, recorded -1"},
		{"lock", "acquire 1 = 4611686018427387903", "ok"},
		{"lock", "tryAcquire 1 = 4611686018427387904", "tryAcquire returns a token from 0 to 4611686018427387903, recorded 4611686018427387904"},
		{"lock", "tryAcquire 1 = null", "ok"},
		{`bank:{"a":3}`, `transfer "a" "b" 1 = true`, `transfer: the bank has no account "b" (it has "a")`},
		{`bank:{"a":3}`, `transfer "a" "a" -1 = true`, "argument 3 of transfer: want an amount from 0 on, got -1"},
		{`bank:{"a":3}`, `read = ={a:3,b:0}`, `read: the bank has no account "b" (it has "a")`},
		{`bank:{"a":3}`, `read = ={a:null}`, "ok"},
		{"kv", "cas 1 2 = true", "cas takes 3 arguments, got 2"},
		{"counter", `add "a" = -`, "argument 1 of add: want int, got string"},
		{"priority-queue", "insert [1] = -", "argument 1 of insert: want int or string, got list"},
		{"priority-queue", `insert "9999999999999999999" = -`, `argument 1 of insert: "9999999999999999999" is a number, but not a 64-bit integer`},
		{"priority-queue", `insert "-1.50" = -`, `argument 1 of insert: "-1.50" is a number, but not a 64-bit integer`},
		{"priority-queue:max", `poll = "9223372036854775808"`, `result of poll: "9223372036854775808" is a number, but not a 64-bit integer`},
		{"priority-queue", `insert "9223372036854775807" = -`, "ok"},
		{"priority-queue", `insert "-" = -`, "ok"},
		{"priority-queue", `insert "1.a" = -`, "ok"},
		{"queue", `enqueue "9999999999999999999" = -`, "ok"},
		{"ArrayBlockingQueue:1", "offer [1] = true", "argument 1 of offer: want null or int, got list"},
		{"ArrayBlockingQueue:1", "offer 2147483648 = true", "argument 1 of offer: 2147483648 does not fit a Java int"},
		{"ArrayBlockingQueue:1", `addAll [1,"a"] = true`, `argument 1 of addAll: element 2: want int or null, got "a"`},
		{"ArrayBlockingQueue:1", "remove 1 2 = true", "remove takes 0 or 1 arguments, got 2"},
		{"ArrayBlockingQueue:1", "poll = true", "poll returns null or int, recorded bool"},
		{"ArrayBlockingQueue:1", "offer 1 = -", "offer returns bool, recorded nothing"},
		{"ConcurrentHashMap", "replace 1 = null", "replace takes 2 or 3 arguments, got 1"},
		{"ConcurrentHashMap", `putAll {x:1} = -`, `argument 1 of putAll: key "x": want int`},
		{"ConcurrentHashMap", "putAll {1:true} = -", `argument 1 of putAll: value of key "1": want int or null, got true`},
		{"ConcurrentHashMap", "toString = 3", "toString returns string, recorded int"},
		{"ConcurrentLinkedQueue", "take = 3", "ConcurrentLinkedQueue has no method take (it has add, addAll, offer, poll, peek, remove, element, contains, containsAll, removeAll, retainAll, size, isEmpty, clear, toArray, toString)"},
		{"etcd", `put "a" 1 = true`, "put returns null or int, recorded bool"},
		{"etcd", `range "a" 1 0 = =[]`, "argument 2 of range: want string, got int"},
		{"etcd", `txn [["mod","a"]] [] [] = =[]`, `compare 1 of txn: want [what, key, expected], got ["mod", "a"]`},
		{"etcd", `txn [["mod","a",1],["mod","a","1"]] [] [] = =[]`, `compare 2 of txn: mod is an int, got "1"`},
		{"etcd", `txn [["lease","a",1]] [] [] = =[]`, `compare 1 of txn: want mod, create, version or value, got "lease"`},
		{"etcd", `txn [] [["get","a"],["txn","a"]] [] = =[]`, `step 2 of txn: want put, get, range, keys or delete with their arguments, got ["txn", "a"]`},
		{"etcd", `persisted [] [] [7] = 2`, `step 1 of persisted: want put, get, range, keys or delete with their arguments, got 7`},
		{"etcd", `persisted [] [] [["put","a"]] = 2`, `step 1 of persisted: put takes 2 or 3 arguments, got 1`},
		{"etcd", `persisted [] [] [["delete",1]] = 2`, `step 1 of persisted: argument 1 of delete: want string, got int`},
		{"queue", "size = blocks", "ok"},
		{"queue", "size = java.lang.IllegalStateException", "ok"},
		{"queue", "size = null", "ok"},
		{"queue", "enqueue 1 = null", "enqueue returns nothing, recorded null"},
		{"ConcurrentLinkedQueue", "remove = null", "ok"},
		{"ConcurrentHashMap", "get 1 = null", "ok"},
	}
	for _, test := range tests {
		s, err := Parse(test.model)
		if err != nil {
			t.Fatal(err)
		}
		op, err := parseCall(test.call)
		if err != nil {
			t.Fatal(err)
		}
		switch err := s.Check(op); {
		case test.want == "ok" && err != nil:
			t.Errorf("%s: %s: %v", test.model, test.call, err)
		case test.want != "ok" && (err == nil || err.Error() != test.want):
			t.Errorf("%s: %s: got %v, want %s", test.model, test.call, err, test.want)
		}
	}
}

// TestApplyUnchecked: an invocation that Check rejects is a programmer error.
func TestApplyUnchecked(t *testing.T) {
	defer func() {
		if r, _ := recover().(string); !strings.HasPrefix(r, "spec: ") {
			t.Errorf("panic %q, want one of package spec", r)
		}
	}()
	s, err := Parse("set")
	if err != nil {
		t.Fatal(err)
	}
	s.New().Apply(replay.Invocation{Method: "add", Args: slices.Repeat([]history.Value{history.NullValue}, 9)})
}

// TestNotes checks the statements in the notes of the specifications.
func TestNotes(t *testing.T) {
	for _, program := range []string{
		`set; add "b" = true; add [1] = true; add 2 = true; add null = true; add false = true; add "a" = true; add 3 = true; elements = =[null,false,2,3,"a","b",[1]]`,
		`kv; append "x" "a" = -; get "x" = "a"; put 1 2 = -; append 1 "a" = blocks`,
		`kv:0; append 1 "a" = -; get 1 = "a"`,
		`kv:"z"; append 1 "a" = -; get 1 = "za"`,
		`mutex; unlock = blocks; lock = -; unlock = -; unlock = blocks`,
		`ConcurrentSkipListMap; putAll {17:5,2:null} = java.lang.NullPointerException; get 17 = null`,
		`LinkedTransferQueue; tryTransfer 1 = false; hasWaitingConsumer = false; getWaitingConsumerCount = 0`,
		`versioned-kv; get 1 = null; put 1 2 1 = "no-key"; put 1 2 0 = "ok"; put 1 2 0 = "version"; get 1 = =[2,1]`,
		`log; append 1 = 0; append 1 = 1; read 2 = null; length = 2`,
		`lock; acquire 1 = 0; acquire 1 = blocks; tryAcquire 1 = null; release 2 = false; release 1 = true; release 1 = false`,
		`bank:{"a":3,"b":0}; transfer "a" "b" 4 = false; read = ={a:3,b:0}`,
		`multi-register; txn [["append","x",1],["read","x",null],["write","x",2]] = =[["append","x",1],["read","x",[1]],["write","x",2]]; txn [["append","x",3]] = blocks`,
	} {
		if err := replayProgram(program); err != nil {
			t.Error(err)
		}
	}
}

// TestSortedElements: a list that is sorted as numbers is refused if some of them are
// strings, because a set sorts these by bytes.
func TestSortedElements(t *testing.T) {
	set, err := Parse("set")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		elements []string
		ok       bool
	}{
		{[]string{"9999999999999999999", "10000000000000000000"}, false},
		{[]string{"10000000000000000000", "9999999999999999999"}, true},
		{[]string{"b", "a"}, true},
	} {
		var list []history.Value
		for _, e := range test.elements {
			list = append(list, history.StringValue(e))
		}
		op := history.Operation{Method: "elements", Return: 1, Result: history.ListValue(list...)}
		if err := set.Check(&op); (err == nil) != test.ok {
			t.Errorf("%v: %v", &op, err)
		}
	}
}
