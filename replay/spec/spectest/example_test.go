package spectest_test

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/spectest"
)

// A specification whose key leaves out a part of the state. A test calls Run instead of
// Check.
func Example() {
	type account struct{ balance, limit int64 }
	model := &replay.Model[account]{
		Label: "account",
		Next: func(a account, inv replay.Invocation) []replay.Step[account] {
			n := inv.Args[0].Int()
			switch {
			case inv.Method == "limit":
				return []replay.Step[account]{{Next: account{a.balance, n}}}
			case a.balance+n < -a.limit:
				return []replay.Step[account]{{Result: history.BoolValue(false), Next: a}}
			}
			return []replay.Step[account]{{Result: history.BoolValue(true), Next: account{a.balance + n, a.limit}}}
		},
		Key: func(dst []byte, a account) []byte { return binary.AppendVarint(dst, a.balance) },
	}
	err := spectest.Check(model, spectest.Calls{Seed: 1, Invocations: []replay.Invocation{
		{Method: "add", Args: []history.Value{history.IntValue(-1)}},
		{Method: "limit", Args: []history.Value{history.IntValue(2)}},
	}})
	text, _, _ := strings.Cut(err.Error(), "\n")
	fmt.Println(text)
	// Output:
	// the specification account is wrong: states with the same key "\x00" differ: add(-1) returns false with the next key "\x00" in one and true with the next key "\x01" in another
}
