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
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
)

// An expression is the value of a part of a mapping, as a function of a record.
type expression struct {
	text    string
	program *vm.Program
	fields  []*recordField // those that it names
	isStamp bool           // it is a plain path to a stamp
}

// compile compiles the expression of a part, and adds its fields to those of the mapping. A
// stamp that is a plain path is read by ns.
func (m *mapping) compile(p part, text string) (*expression, error) {
	e := &expression{text: text}
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, withHint(text, err)
	}
	m.namesLine = m.namesLine || strings.Contains(text, "$line")
	m.namesText = m.namesText || strings.Contains(text, "$text")
	source := text
	if e.isStamp = p.isStamp() && isPath(tree.Node); e.isStamp {
		source = stampName + "(" + text + ")"
	}
	var members fieldMembers
	var calls directCalls
	uses := fieldUses{paths: map[string]fieldPath{}, optional: map[string]bool{}}
	options := append(slices.Clone(functions), expr.Patch(fieldKeys{}), expr.Patch(&members), expr.Patch(&uses), expr.Patch(workMeter{}), expr.Patch(&calls))
	if e.program, err = expr.Compile(source, options...); err != nil {
		if at := (*file.Error)(nil); errors.As(err, &at) {
			at.Message = plainMessage(at.Message)
		}
		return nil, withHint(text, err)
	}
	if f := calls.unknown; f != nil {
		unknown := file.Error{Location: f.Location(), Message: "unknown function " + f.Value}
		return nil, unknown.Bind(file.NewSource(source))
	}
	if members.others > 0 {
		return nil, errors.New(`$env stands before the name of a field: $env["NAME"]`)
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

// languageWords are names that an expression reads as something else than a field.
var languageWords = []string{"in", "and", "or", "not", "let", "if", "else", "matches", "contains", "startsWith", "endsWith"}

// constants are names of values.
var constants = []string{"true", "false", "nil", "$env", "$line", "$text"}

// noField matches names that an expression cannot use as they are, and nextEntry what looks
// like another entry.
var (
	noField   = regexp.MustCompile(`@|\b(` + strings.Join(languageWords, "|") + `)\b`)
	nextEntry = regexp.MustCompile(`,\s*(\w+)\s*=([^=~]|$)`)
)

// withHint adds to an error of an expression what may be meant.
func withHint(text string, err error) error {
	if next := nextEntry.FindStringSubmatch(text); next != nil {
		return fmt.Errorf("%w\n%s is not a name of an entry; known are %s", err, next[1], knownNames)
	}
	if noField.MatchString(text) || strings.Contains(err.Error(), "unexpected token Identifier") {
		return fmt.Errorf("%w\na field whose name is a word of the language, or not an identifier, is written $env[\"NAME\"]", err)
	}
	return err
}

// isPath reports whether an expression is a field, or a member of one.
func isPath(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.IdentifierNode:
		return true
	case *ast.ChainNode:
		return isPath(n.Node)
	case *ast.MemberNode:
		_, text := n.Property.(*ast.StringNode)
		_, number := n.Property.(*ast.IntegerNode)
		return (text || number) && isPath(n.Node)
	}
	return false
}
