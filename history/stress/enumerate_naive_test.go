package stress

import (
	"fmt"
	"slices"
	"strings"
)

// naive returns the programs of tinyClass, in normal form.
func naive(target string, b Bounds) map[string]bool {
	all := []string{"put", "get"}
	if target != "" && target != "put" {
		all = append(all, target)
	}
	var letters []string
	for _, name := range all {
		switch name {
		case "put", "get":
			for i := range b.Values {
				letters = append(letters, fmt.Sprintf("%s(%d)", name, i))
			}
		case "swap":
			for i := range b.Values {
				for j := range b.Values {
					letters = append(letters, fmt.Sprintf("swap(%d,%d)", i, j))
				}
			}
		default:
			letters = append(letters, name+"()")
		}
	}
	found := map[string]bool{}
	for n := b.MinInvocations; n <= b.MaxInvocations; n++ {
		for number := range power(len(letters), n) {
			word := make([]string, n)
			for i := range word {
				word[i] = letters[number%len(letters)]
				number /= len(letters)
			}
			if !inRank(word, target) {
				continue
			}
			for cuts := range 1 << (n - 1) {
				sequences := [][]string{{word[0]}}
				for i := 1; i < n; i++ {
					if cuts>>(i-1)&1 != 0 {
						sequences = append(sequences, nil)
					}
					last := len(sequences) - 1
					sequences[last] = append(sequences[last], word[i])
				}
				if k := len(sequences); k <= b.Sequences && (k > 1 || b.Sequences == 1) {
					if worthwhile(sequences, target) {
						found[normalForm(sequences)] = true
					}
				}
			}
		}
	}
	return found
}

func power(a, n int) int {
	p := 1
	for range n {
		p *= a
	}
	return p
}

// inRank reports whether the word has one invocation of the target and uses
// values without gaps.
func inRank(word []string, target string) bool {
	text, n := strings.Join(word, " "), 0
	for _, w := range word {
		if strings.HasPrefix(w, target+"(") {
			n++
		}
	}
	for v := range 9 {
		if strings.Contains(text, fmt.Sprint(v+1)) && !strings.Contains(text, fmt.Sprint(v)) {
			return false
		}
	}
	return target == "" || n == 1
}

func worthwhile(sequences [][]string, target string) bool {
	for i, s := range sequences {
		for _, w := range s {
			name, _, _ := strings.Cut(w, "(")
			if name == target && target != "size" || target == "" && name == "put" {
				return true
			}
			if name != "size" {
				continue
			}
			for j, other := range sequences {
				if i != j && strings.Contains(strings.Join(other, " "), "put") {
					return true
				}
			}
		}
	}
	return false
}

// normal is the normal form of a program.
func normal(p *Program) string {
	sequences := make([][]string, len(p.Sequences))
	for i, s := range p.Sequences {
		for _, inv := range s {
			sequences[i] = append(sequences[i], inv.String())
		}
	}
	return normalForm(sequences)
}

// normalForm is the least text of a program, for any order of its sequences.
func normalForm(sequences [][]string) string {
	least := ""
	permute(len(sequences), func(to []int) {
		var text strings.Builder
		for _, i := range to {
			text.WriteString("{" + strings.Join(sequences[i], ";") + "}")
		}
		if s := text.String(); least == "" || s < least {
			least = s
		}
	})
	return least
}

func permute(k int, visit func([]int)) {
	var extend func(to []int)
	extend = func(to []int) {
		if len(to) == k {
			visit(to)
		}
		for i := range k {
			if !slices.Contains(to, i) {
				extend(append(slices.Clip(to), i))
			}
		}
	}
	extend(nil)
}
