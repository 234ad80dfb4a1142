package spec

import (
	"fmt"
	"strings"

	"github.com/leadline/leadline/history"
)

// atMost returns an error if the specification called name has more than n arguments.
func atMost(name string, args []value, n int) error {
	if len(args) <= n {
		return nil
	}
	most := "at most " + fmt.Sprint(n)
	if n == 0 {
		most = "no"
	}
	plural := "s"
	if n == 1 {
		plural = ""
	}
	return fmt.Errorf("%s takes %s argument%s, got %d", name, most, plural, len(args))
}

func badArgument(name, what, want string, got value) error {
	return fmt.Errorf("%s: %s must be %s, got %s", name, what, want, got)
}

// optional returns the optional argument of a specification, called what, or
// def if there is none.
func optional(name string, args []value, what string, set kinds, def value) (value, error) {
	if err := atMost(name, args, 1); err != nil {
		return value{}, err
	}
	if len(args) == 0 {
		return def, nil
	}
	if !set.has(args[0].Kind()) {
		want := "of kind " + set.String()
		if set == anyValue {
			want = "known, and no exception"
		}
		return value{}, badArgument(name, what, want, args[0])
	}
	return args[0], nil
}

// positive returns an error for an argument that is not an int greater than 0.
func positive(name, what string, v value) error {
	if v.Kind() != history.Int || v.Int() <= 0 {
		return badArgument(name, what, "a positive int", v)
	}
	return nil
}

// Distance returns the edit distance of two names, ignoring case: the number of
// letters to insert, remove or change (Wagner and Fischer, 1974).
func Distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
