package spec

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A call that ends with "= blocks" is pending here.
func TestRoles(t *testing.T) {
	for _, test := range []struct {
		model, call string
		role        replay.Role
		value       string
	}{
		{"queue", "enqueue 1 = -", replay.Insert, "1"},
		{"queue", "offer 1 = true", replay.Insert, "1"},
		{"queue", "offer 1 = false", replay.Never, "1"},
		{"queue", "offer 1 = null", replay.Never, ""},
		{"queue", "size = null", replay.Never, ""},
		{"queue", "put 1 = blocks", replay.Insert, "1"},
		{"queue", "enqueue null = -", replay.Other, "null"},
		{"queue", "dequeue = 1", replay.Remove, "1"},
		{"queue", "dequeue = null", replay.Nothing, "null"},
		{"queue", "dequeue = blocks", replay.Remove, "?"},
		{"queue", "take = null", replay.Never, "null"},
		{"queue", "peek = 1", replay.Look, "1"},
		{"queue", "peek = null", replay.Nothing, "null"},
		{"queue", "peek = blocks", replay.Idle, ""},
		{"queue", "peek = java.lang.IllegalStateException", replay.Never, ""},
		{"queue", "size = 0", replay.Nothing, ""},
		{"queue", "size = 1", replay.Size, "1"},
		{"queue", "isEmpty = true", replay.Nothing, ""},
		{"queue", "isEmpty = false", replay.Size, "?"},
		{"queue", "isEmpty = blocks", replay.Idle, ""},
		{"queue", "clear = -", replay.Clear, ""},
		{"deque", "pushFront 1 = -", replay.InsertFront, "1"},
		{"deque", "popFront = 1", replay.RemoveFront, "1"},
		{"deque", "peekFront = blocks", replay.Idle, ""},
		{"priority-queue:max", "poll = 1", replay.Remove, "1"},
		{"set", "add 1 = true", replay.Insert, "1"},
		{"set", "add 1 = false", replay.Look, "1"},
		{"set", "add 1 = blocks", replay.Insert, "1"},
		{"set", "remove null = true", replay.Remove, "null"},
		{"set", "remove 1 = false", replay.Absent, "1"},
		{"set", "remove 1 = blocks", replay.Remove, "1"},
		{"set", "contains 1 = true", replay.Look, "1"},
		{"set", "contains 1 = blocks", replay.Idle, "1"},
		{"set", "elements = =[]", replay.Other, ""},
		{"multiset", "add 1 = -", replay.Insert, "1"},
		{"multiset", "remove 1 = true", replay.Remove, "1"},
		{"multiset", "count 1 = 0", replay.Absent, "1"},
		{"multiset", "count 1 = 1", replay.Look, "1"},
		{"multiset", "count 1 = 2", replay.Never, "1"},
		{"multiset", "count 1 = blocks", replay.Idle, "1"},
		{"register", "write 1 = -", replay.Insert, "1"},
		{"register:1", "write 1 = -", replay.Other, "1"},
		{"register:1", "read = 1", replay.Nothing, "1"},
		{"register:1", "read = 2", replay.Look, "2"},
		{"kv", "put 1 2 = -", replay.Insert, "2"},
		{"kv", "put 1 2 = blocks", replay.Insert, "2"},
		{"kv", "put 1 null = -", replay.Other, "null"},
		{"kv:0", "put 1 0 = -", replay.Other, "0"},
		{"kv", "get 1 = 2", replay.Look, "2"},
		{"kv", "get 1 = null", replay.Nothing, "null"},
		{"kv:0", "get 1 = 0", replay.Nothing, "0"},
		{"kv", "get 1 = blocks", replay.Idle, ""},
		{"kv", "remove 1 = 2", replay.Other, ""},
		{"kv", "cas 1 2 3 = true", replay.Other, ""},
		{"kv", "append 1 =2 = -", replay.Other, ""},
		{"kv", "size = 0", replay.Nothing, ""},
		{"counter", "increment = -", replay.Other, ""},
		{"ConcurrentLinkedQueue", "add 1 = true", replay.Insert, "1"},
		{"ConcurrentLinkedQueue", "offer 1 = false", replay.Never, "1"},
		{"ConcurrentLinkedQueue", "add 1 = java.lang.IllegalStateException", replay.Never, "1"},
		{"ConcurrentLinkedQueue", "add null = java.lang.NullPointerException", replay.Other, "null"},
		{"ConcurrentLinkedQueue", "poll = 1", replay.Remove, "1"},
		{"ConcurrentLinkedQueue", "poll = null", replay.Nothing, "null"},
		{"ConcurrentLinkedQueue", "poll = java.util.NoSuchElementException", replay.Never, "!java.util.NoSuchElementException"},
		{"ConcurrentLinkedQueue", "poll = blocks", replay.Remove, "?"},
		{"ConcurrentLinkedQueue", "remove = 1", replay.Remove, "1"},
		{"ConcurrentLinkedQueue", "remove = java.util.NoSuchElementException", replay.Nothing, "!java.util.NoSuchElementException"},
		{"ConcurrentLinkedQueue", "remove = java.lang.IllegalStateException", replay.Never, "!java.lang.IllegalStateException"},
		{"ConcurrentLinkedQueue", "remove = null", replay.Never, ""},
		{"ConcurrentLinkedQueue", "element = java.util.NoSuchElementException", replay.Nothing, "!java.util.NoSuchElementException"},
		{"ConcurrentLinkedQueue", "element = blocks", replay.Idle, ""},
		{"ConcurrentLinkedQueue", "peek = 1", replay.Look, "1"},
		{"ConcurrentLinkedQueue", "remove 1 = true", replay.Other, ""},
		{"ConcurrentLinkedQueue", "contains 1 = true", replay.Other, ""},
		{"ConcurrentLinkedQueue", "addAll [1] = true", replay.Other, ""},
		{"ConcurrentLinkedQueue", "clear = -", replay.Clear, ""},
		{"ConcurrentLinkedQueue", "clear = java.lang.NullPointerException", replay.Never, ""},
		{"ConcurrentLinkedQueue", "isEmpty = java.lang.NullPointerException", replay.Never, ""},
		{"ConcurrentLinkedQueue", "size = 2", replay.Size, "2"},
		{"LinkedBlockingQueue", "put 1 = -", replay.Insert, "1"},
		{"LinkedBlockingQueue", "take = 1", replay.Remove, "1"},
		{"LinkedBlockingQueue", "take = null", replay.Never, ""},
		{"LinkedBlockingQueue:3", "put 1 = -", replay.Insert, "1"},
		{"ArrayBlockingQueue:3", "poll = 1", replay.Remove, "1"},
		{"ArrayBlockingQueue:3", "offer 1 = false", replay.Full, "1"},
		{"ArrayBlockingQueue:3", "add 1 = java.lang.IllegalStateException", replay.Full, "1"},
		{"ArrayBlockingQueue:3", "add 1 = false", replay.Other, "1"},
		{"LinkedTransferQueue", "tryTransfer 1 = false", replay.Other, ""},
		{"ConcurrentLinkedDeque", "add 1 = true", replay.Insert, "1"},
		{"ConcurrentLinkedDeque", "push 1 = -", replay.InsertFront, "1"},
		{"ConcurrentLinkedDeque", "offerFirst 1 = true", replay.InsertFront, "1"},
		{"ConcurrentLinkedDeque", "addLast 1 = -", replay.Insert, "1"},
		{"ConcurrentLinkedDeque", "poll = 1", replay.RemoveFront, "1"},
		{"ConcurrentLinkedDeque", "pollLast = 1", replay.Remove, "1"},
		{"ConcurrentLinkedDeque", "peek = 1", replay.LookFront, "1"},
		{"ConcurrentLinkedDeque", "getLast = 1", replay.Look, "1"},
		{"ConcurrentLinkedDeque", "getLast = java.util.NoSuchElementException", replay.Nothing, "!java.util.NoSuchElementException"},
		{"ConcurrentLinkedDeque", "removeFirstOccurrence 1 = true", replay.Other, ""},
		{"LinkedBlockingDeque", "take = 1", replay.RemoveFront, "1"},
		{"LinkedBlockingDeque", "takeLast = 1", replay.Remove, "1"},
		{"PriorityBlockingQueue", "put 1 = -", replay.Insert, "1"},
		{"PriorityBlockingQueue", "poll = 1", replay.Remove, "1"},
	} {
		s, err := Parse(test.model)
		if err != nil {
			t.Fatal(err)
		}
		op, err := parseCall(test.call)
		if err != nil {
			t.Fatal(err)
		}
		op.Return = 1
		if op.Result.Kind() == history.Unknown {
			op.Return = history.NoReturn
		}
		facts := s.(replay.Described).Facts(op)
		role, value := facts.Role, facts.Value
		if role != test.role || value.String() != test.value {
			t.Errorf("%s: %s: role %d of %v, want %d of %s", test.model, test.call, role, value, test.role, test.value)
		}
	}
}
