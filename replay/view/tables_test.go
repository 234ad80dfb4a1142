package view

import (
	"strings"
	"testing"
)

// TestWriteTables: text is escaped, and all of it is in the page.
func TestWriteTables(t *testing.T) {
	var page strings.Builder
	table := Table{Title: "{ a(<b>) }", Header: []string{"outcome", "seen"}, Rows: [][]string{{`"</td><script>"`, "1"}, {"N", "0"}}}
	if err := WriteTables(&page, "an object", []Table{table}, []string{"2 > 1"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<h1>an object</h1>", "<code>{ a(&lt;b&gt;) }</code>", "<th>seen</th>", "<td>&#34;&lt;/td&gt;&lt;script&gt;&#34;</td><td>1</td>", "<td>N</td><td>0</td>", "<p>2 &gt; 1</p>"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %s in\n%s", want, &page)
		}
	}
	if strings.Contains(page.String(), "<script") {
		t.Error("the page has a script")
	}
}
