package tables

import (
	"fmt"
	"io"
	"strings"
)

// latexHead begins LaTeX output.
const latexHead = "% For documents that have \\usepackage{booktabs}.\n\n"

// manyColumns is the number of columns above which a table is set small.
const manyColumns = 10

var escapeLaTeX = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "&", `\&`, "%", `\%`, "$", `\$`,
	"#", `\#`, "_", `\_`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "|", `\textbar{}`,
	"<=", `$\le$`, "<", `$<$`, ">", `$>$`).Replace

const paper = "``Checking Linearizability Using Hitting Families'' (PPoPP 2019)"

// writeLaTeX writes a table environment in the style of booktabs. LaTeX numbers tables
// itself, so the caption is the title, and then the number that the table has in the paper.
func (t *Table) writeLaTeX(w io.Writer) error {
	var b strings.Builder
	caption, where := t.Title, "not in "+paper
	if number, title, ok := strings.Cut(caption, ". "); ok {
		caption, where = title, "as in "+number+" of "+paper
	}
	fmt.Fprintf(&b, "\\begin{table}\n\\centering\n\\caption{%s; %s}\n\\label{%s}\n", escapeLaTeX(caption), where, t.ID)
	if len(t.Columns) > manyColumns {
		b.WriteString("\\scriptsize\n\\setlength{\\tabcolsep}{3pt}\n")
	}
	b.WriteString("\\begin{tabular}{")
	for i := range t.Columns {
		if t.isLeft(i) {
			b.WriteByte('l')
		} else {
			b.WriteByte('r')
		}
	}
	b.WriteString("}\n\\toprule\n" + t.latexHeader() + "\\midrule\n")
	for i, row := range t.Rows {
		cells := make([]string, len(row.Cells))
		for k, c := range row.Cells {
			cells[k] = escapeLaTeX(text(c))
		}
		name, indented := strings.CutPrefix(cells[0], "  ")
		if indented {
			cells[0] = `\quad ` + name
		}
		if name == "all" && i > 0 {
			b.WriteString("\\midrule\n")
		}
		b.WriteString(strings.Join(cells, " & ") + " \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	for _, note := range t.Notes {
		fmt.Fprintf(&b, "\n\\smallskip\n%s\n", escapeLaTeX(note))
	}
	b.WriteString("\\end{table}\n\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// latexHeader returns the header of a table. Adjacent columns with the same first word
// are below that word.
func (t *Table) latexHeader() string {
	var top, rules, names []string
	for i := 0; i < len(t.Columns); {
		word := firstWord(t.Columns[i])
		end := i + 1
		for end < len(t.Columns) && firstWord(t.Columns[end]) == word {
			end++
		}
		if end == i+1 {
			top, names = append(top, ""), append(names, escapeLaTeX(t.Columns[i]))
			i++
			continue
		}
		top = append(top, fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, end-i, escapeLaTeX(word)))
		rules = append(rules, fmt.Sprintf(`\cmidrule(lr){%d-%d}`, i+1, end))
		for ; i < end; i++ {
			name := strings.TrimSpace(strings.TrimPrefix(t.Columns[i], word))
			if name == "" {
				name = "n"
			}
			names = append(names, escapeLaTeX(name))
		}
	}
	header := strings.Join(names, " & ") + " \\\\\n"
	if rules == nil {
		return header
	}
	return strings.Join(top, " & ") + " \\\\\n" + strings.Join(rules, " ") + "\n" + header
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}
