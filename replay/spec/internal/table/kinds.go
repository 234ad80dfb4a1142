// Package table has what the bundled specifications share. A specification is a table with
// a row for each method: its signature, its effect on a state, and facts about it that
// engines use. A fact covers what the method does to a collection, whether it changes
// anything, and which part or cell of the object it is about.
package table

import (
	"strings"

	"github.com/leadline/leadline/history"
)

// Kinds is a set of history.Kind.
type Kinds uint16

const (
	nothing = Kinds(1) << history.None
	// AnyValue are the kinds of the values that a container can hold.
	AnyValue = Kinds(1)<<history.Null | 1<<history.Bool | 1<<history.Int | 1<<history.Float |
		1<<history.String | 1<<history.List | 1<<history.Map
)

// KindOf returns the set of one kind.
func KindOf(kind history.Kind) Kinds { return 1 << kind }

// Has reports whether the kind is in the set.
func (k Kinds) Has(kind history.Kind) bool { return k&(1<<kind) != 0 }

func (k Kinds) String() string {
	if k == AnyValue {
		return "any value"
	}
	var words []string
	for kind := history.None; kind <= history.Map; kind++ {
		if k.Has(kind) {
			words = append(words, kindWord(kind))
		}
	}
	return strings.Join(words, " or ")
}

func kindWord(k history.Kind) string {
	if k == history.None {
		return "nothing"
	}
	return k.String()
}

func parseKinds(text string) Kinds {
	if text == "any" {
		return AnyValue
	}
	var set Kinds
	for word := range strings.SplitSeq(text, "|") {
		found := false
		for kind := history.None; kind <= history.Map; kind++ {
			if kindWord(kind) == word {
				set, found = set|1<<kind, true
			}
		}
		if !found {
			panic("spec: unknown kind " + word)
		}
	}
	return set
}
