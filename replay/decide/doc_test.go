package decide_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/leadline/leadline/replay/decide"
)

// TestRowsDocumented: the package documentation lists the rows of the table in their order,
// with what they are and with who needs them.
func TestRowsDocumented(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var documented, rows []string
	for _, m := range regexp.MustCompile(`(?m)^//   - ([a-z ]+): `).FindAllSubmatch(text, -1) {
		documented = append(documented, string(m[1]))
	}
	for _, r := range decide.Rows() {
		rows = append(rows, r.Name)
	}
	if !slices.Equal(documented, slices.Concat(rows, rows)) {
		t.Errorf("documented %q, in the table %q", documented, rows)
	}
}
