package records

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"
)

// An expression is the value of a part of a mapping, as a function of a record.
type expression struct {
	text    string
	program *vm.Program
	fields  []*recordField // those that it names
	key     string         // of its value in an environment, if it is nothing but a field, $line or $text
}

// compile compiles the expression of a part, and adds its fields to those of the mapping.
func (m *mapping) compile(p part, text string) (*expression, error) {
	m.namesLine = m.namesLine || strings.Contains(text, "$line")
	m.namesText = m.namesText || strings.Contains(text, "$text")
	var members fieldMembers
	work := workMeter{depths: map[ast.Node]int{}}
	var calls ownCalls
	uses := fieldUses{paths: map[string]fieldPath{}, optional: map[string]bool{}}
	options := append(slices.Clone(functions), expr.Patch(fieldKeys{}), expr.Patch(&members), expr.Patch(&uses), expr.Patch(&work), expr.Patch(&calls))
	program, err := expr.Compile(text, options...)
	switch {
	case err != nil:
		message, place := plainError(err)
		return nil, withHint(text, message+place)
	case calls.unknown != "":
		return nil, fmt.Errorf("unknown function %s", calls.unknown)
	case work.nested > maxNested:
		return nil, fmt.Errorf("%d loops (map, filter, any and so on) are inside of one another; at most %d may be", work.nested, maxNested)
	case members.others > 0:
		return nil, errors.New(`$env stands before the name of a field: $env["NAME"]`)
	}
	e := &expression{text: text, program: program}
	if name, ok := program.Node().(*ast.IdentifierNode); ok {
		e.key = name.Value
	}
	for _, key := range uses.keys {
		if f := m.field(key); !slices.Contains(e.fields, f) {
			e.fields = append(e.fields, f)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(uses.paths)) {
		known := slices.ContainsFunc(m.paths, func(p fieldPath) bool { return p.text() == text })
		if path := uses.paths[text]; !known && !uses.optional[text] {
			path.part = partNames[p]
			m.paths = append(m.paths, path)
		}
	}
	return e, nil
}

// field returns the field whose plain or exact value has the key, and notes that an
// expression names it.
func (m *mapping) field(key string) *recordField {
	name, exact, _ := fieldOf(key)
	f := m.fields[name]
	if f == nil {
		f = newRecordField(name)
		m.fields[name] = f
	}
	f.exact, f.plain = f.exact || exact, f.plain || !exact
	return f
}

// noField matches names that an expression cannot use as they are, and nextEntry what looks
// like another entry.
var (
	noField   = regexp.MustCompile(`@|\b(` + strings.Join(languageWords, "|") + `)\b`)
	nextEntry = regexp.MustCompile(`,\s*(\w+)\s*=([^=~]|$)`)
)

// withHint returns the error for an expression with a fault, and adds what may be meant.
func withHint(text, fault string) error {
	if next := nextEntry.FindStringSubmatch(text); next != nil {
		return fmt.Errorf("%s\n%s is not a name of an entry; known are %s", fault, next[1], knownNames)
	}
	if noField.MatchString(text) || strings.Contains(fault, "unexpected token Identifier") {
		return fmt.Errorf("%s\na field whose name is a word of the language, or not an identifier, is written $env[\"NAME\"]", fault)
	}
	return errors.New(fault)
}
