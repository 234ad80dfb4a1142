package spec

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A bank has accounts with balances, as in the bank test of Jepsen.
type bank struct {
	accounts []value // sorted; all states of a specification share it
	balances []int64 // of the accounts; none is negative
}

func (b *bank) Clone() *bank { return &bank{b.accounts, slices.Clone(b.balances)} }

func (b *bank) AppendKey(dst []byte) []byte {
	for _, n := range b.balances {
		dst = binary.AppendVarint(dst, n)
	}
	return dst
}

func (b *bank) AppendText(dst []byte) []byte { return table.AppendValue(dst, b.read(nil)) }

// find returns the position of an account, or -1.
func (b *bank) find(account value) int { return slices.IndexFunc(b.accounts, account.Equal) }

// transfer moves money unless there is too little. The arguments are the two accounts and the
// amount. The sum of all balances is an int, so no balance overflows.
func (b *bank) transfer(args []value) value {
	from, to, amount := b.find(args[0]), b.find(args[1]), args[2].Int()
	if b.balances[from] < amount {
		return history.BoolValue(false)
	}
	b.balances[from] -= amount
	b.balances[to] += amount
	return history.BoolValue(true)
}

// read returns the balances of all accounts.
func (b *bank) read([]value) value {
	var pairs []value
	for i, account := range b.accounts {
		pairs = append(pairs, account, history.IntValue(b.balances[i]))
	}
	balances, _ := history.MapValue(pairs...)
	return balances
}

var bankTable = table.New([]table.Method[*bank]{
	table.Row("transfer(from, to, amount: int) -> bool", (*bank).transfer, table.FailsFalse),
	table.Row("read|balances() -> map", (*bank).read, table.Reads),
})

// A bankSpec also checks accounts and amounts.
type bankSpec struct{ *table.Specification[*bank] }

// Check returns an error if op is wrong; see replay.Spec.
func (s bankSpec) Check(op *history.Operation) error {
	if err := s.Specification.Check(op); err != nil {
		return err
	}
	var named []value
	if op.Method == "transfer" {
		named = op.Args[:2]
		if op.Args[2].Int() < 0 {
			return fmt.Errorf("argument 3 of transfer: want an amount from 0 on, got %v", op.Args[2])
		}
	} else if op.Result.Kind() == history.Map {
		for i := 0; i < len(op.Result.List()); i += 2 {
			named = append(named, op.Result.List()[i])
		}
	}
	b := s.Fresh()
	for _, account := range named {
		if b.find(account) < 0 {
			return fmt.Errorf("%s: the bank has no account %v (it has %s)", op.Method, account, accountsText(b.accounts))
		}
	}
	return nil
}

// accountsText returns the names of the first accounts.
func accountsText(accounts []value) string {
	var names []string
	for _, a := range accounts[:min(len(accounts), 10)] {
		names = append(names, a.String())
	}
	if len(names) < len(accounts) {
		names = append(names, "and so on")
	}
	return strings.Join(names, ", ")
}

var bankEntry = table.Entry{Name: "bank", Args: ":balances",
	Doc:     "accounts with balances, given as a map; transfer returns false if there is too little in the account",
	Methods: &bankTable.Signatures,
	Make:    newBank,
	Notes: []string{
		`The argument names all accounts: bank:{"a":100,"b":0}, or bank:{0:100,1:0} if accounts are ints.`,
		`transfer returns false, and changes nothing, if the first account has less than the amount.`,
		`read returns the map of all balances.`,
	},
}

func newBank(args []value) (table.Made, error) {
	if args[0].Kind() != history.Map {
		return nil, table.BadArgument("balances", "a map", args[0])
	}
	var initial bank
	sum := int64(0)
	for pair := range slices.Chunk(args[0].List(), 2) {
		balance := pair[1]
		if balance.Kind() != history.Int || balance.Int() < 0 || balance.Int() > math.MaxInt64-sum {
			return nil, table.BadArgument(fmt.Sprintf("the balance of %v", pair[0]), "an int from 0 on, and their sum an int", balance)
		}
		sum += balance.Int()
		initial.accounts, initial.balances = append(initial.accounts, pair[0]), append(initial.balances, balance.Int())
	}
	return bankSpec{&table.Specification[*bank]{Table: bankTable, Fresh: initial.Clone}}, nil
}
