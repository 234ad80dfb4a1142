package codec

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/parser/lexer"
	"github.com/expr-lang/expr/vm"
)

// An expression is the value of a part of a mapping, as a function of a record.
type expression struct {
	text    string
	program *vm.Program
	fields  []*recordField // those that it names
	isStamp bool           // it is a plain path to a stamp
}

// A recordField is a member of records, or a column, that expressions name.
type recordField struct {
	name string
	// plain and exact are set if the value is used outside of ns, and inside. Inside, a
	// number with a fraction is a decimal.
	plain, exact bool
	// needed is set if some record must have the field: there is an expression that names it
	// and neither compares it with nil nor has it before ?? or ?. somewhere.
	needed bool
	seen   bool   // some record has it
	part   string // the first part whose expression names it
}

// exactName is the name of the exact value of a field in an environment. No log has such a field.
func exactName(name string) string { return "\x00exact " + name }

// plainName is the name of a field whose plain or exact value an environment has.
func plainName(name string) (field string, exact bool) { return strings.CutPrefix(name, exactName("")) }

// A decimal is a number with a fraction or an exponent, as it is written.
type decimal string

const (
	maxNodes  = 1000    // of an expression
	maxMemory = 1 << 20 // values that an expression may make for one record
)

// compile returns the expression of a part. A stamp that is a plain path is read by ns.
func compile(part, text string, isStamp bool, fields map[string]*recordField) (*expression, error) {
	e := &expression{text: text}
	options, err := builtinOptions(text)
	if err != nil {
		return nil, err
	}
	source, declared := text, declarations{}
	if tree, err := parser.Parse(text); err == nil {
		ast.Walk(&tree.Node, declared)
		if e.isStamp = isStamp && isPath(tree.Node); e.isStamp {
			source = "stamp(" + text + ")"
		}
	}
	options = append(options, functions...)
	options = append(options, expr.Patch(exactArguments{declared}), expr.Patch(checkedArithmetic{}))
	if e.program, err = expr.Compile(source, options...); err != nil {
		return nil, withHint(text, err)
	}
	e.note(part, fields, declared)
	return e, nil
}

// declarations are the names that let declares, which are no fields.
type declarations map[string]bool

func (d declarations) Visit(node *ast.Node) {
	if n, ok := (*node).(*ast.VariableDeclaratorNode); ok {
		d[n.Name] = true
	}
}

// builtinOptions makes names of functions that the text uses without a parenthesis fields.
func builtinOptions(text string) (options []expr.Option, err error) {
	tokens, err := lexer.Lex(file.NewSource(text))
	if err != nil {
		return nil, withHint(text, err)
	}
	called, plain := map[string]bool{}, map[string]bool{}
	for i, t := range tokens {
		_, known := builtin.Index[t.Value]
		switch {
		case t.Kind != lexer.Identifier || !known:
		case i > 0 && tokens[i-1].Is(lexer.Operator, ".", "?."):
		case i+1 < len(tokens) && tokens[i+1].Is(lexer.Bracket, "("):
			called[t.Value] = true
		case i+1 < len(tokens) && tokens[i+1].Is(lexer.Operator, ":"): // a key of a map
		default:
			plain[t.Value] = true
			options = append(options, expr.DisableBuiltin(t.Value))
		}
	}
	for name := range plain {
		if called[name] {
			return nil, fmt.Errorf("%s is a field and a function here: write $env.%s for the field", name, name)
		}
	}
	return options, nil
}

// languageWords are names that an expression reads as something else than a field.
var languageWords = []string{"in", "and", "or", "not", "let", "if", "else", "matches", "contains", "startsWith", "endsWith"}

// constants are names of values.
var constants = []string{"true", "false", "nil", "$env", "$line"}

// noField matches names that an expression cannot use as they are, and nextEntry what looks
// like another entry.
var (
	noField   = regexp.MustCompile(`@|\b(` + strings.Join(languageWords, "|") + `)\b`)
	nextEntry = regexp.MustCompile(`,\s*(\w+)\s*=([^=~]|$)`)
)

// withHint adds to an error of an expression what may be meant.
func withHint(text string, err error) error {
	if next := nextEntry.FindStringSubmatch(text); next != nil {
		return fmt.Errorf("%w\n%s is not a name of an entry; known are %s, model, tie", err, next[1], strings.Join(partNames[:], ", "))
	}
	if noField.MatchString(text) {
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

// exactArguments makes the fields in the first argument of ns exact.
type exactArguments struct{ declared declarations }

func (e exactArguments) Visit(node *ast.Node) {
	call, ok := (*node).(*ast.CallNode)
	if !ok || len(call.Arguments) == 0 {
		return
	}
	if callee, ok := call.Callee.(*ast.IdentifierNode); ok && (callee.Value == "ns" || callee.Value == "stamp") {
		ast.Walk(&call.Arguments[0], exactFields(e))
	}
}

type exactFields struct{ declared declarations }

func (e exactFields) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if n.Value != "$env" && n.Value != "$line" && !e.declared[n.Value] && !strings.HasPrefix(n.Value, exactName("")) {
			n.Value = exactName(n.Value)
		}
	case *ast.MemberNode:
		if name, ok := envMember(n); ok && !strings.HasPrefix(name, exactName("")) {
			n.Property = &ast.StringNode{Value: exactName(name)}
		}
	case *ast.CallNode: // whose callee, a function, has been visited already
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok && callee.Value != exactName("fromJSON") {
			callee.Value = strings.TrimPrefix(callee.Value, exactName(""))
		}
	}
}

// envMember returns NAME if the node is $env["NAME"].
func envMember(n *ast.MemberNode) (name string, ok bool) {
	env, isEnv := n.Node.(*ast.IdentifierNode)
	property, isText := n.Property.(*ast.StringNode)
	if !isEnv || env.Value != "$env" || !isText {
		return "", false
	}
	return property.Value, true
}

// note adds the fields that the expression names to those of the mapping.
func (e *expression) note(part string, fields map[string]*recordField, declared declarations) {
	c := fieldCollector{optional: map[ast.Node]bool{}, functions: map[ast.Node]bool{}}
	root := e.program.Node()
	ast.Walk(&root, &c)
	optional := map[string]bool{}
	for _, use := range c.uses {
		optional[use.name] = optional[use.name] || c.optional[use.node]
	}
	for _, use := range c.uses {
		if c.functions[use.node] || declared[use.name] {
			continue
		}
		name, exact := plainName(use.name)
		f := fields[name]
		if f == nil {
			f = &recordField{name: name, part: part}
			fields[name] = f
		}
		f.exact, f.plain = f.exact || exact, f.plain || !exact
		f.needed = f.needed || !optional[use.name] && !optional[name] && !optional[exactName(name)]
		if !slices.Contains(e.fields, f) {
			e.fields = append(e.fields, f)
		}
	}
}

// A fieldCollector finds the fields that an expression names.
type fieldCollector struct {
	uses      []fieldUse
	optional  map[ast.Node]bool // uses that may be nil in all records
	functions map[ast.Node]bool // names that are called
}

type fieldUse struct {
	name string
	node ast.Node
}

func (c *fieldCollector) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if n.Value != "$env" && n.Value != "$line" {
			c.uses = append(c.uses, fieldUse{n.Value, n})
		}
	case *ast.CallNode:
		c.functions[n.Callee] = true
	case *ast.MemberNode:
		if name, ok := envMember(n); ok {
			c.uses = append(c.uses, fieldUse{name, n})
		} else if n.Optional {
			c.optional[base(n.Node)] = true
		}
	case *ast.BinaryNode:
		_, leftNil := n.Left.(*ast.NilNode)
		_, rightNil := n.Right.(*ast.NilNode)
		switch {
		case n.Operator == "??", (n.Operator == "==" || n.Operator == "!=") && rightNil:
			c.optional[base(n.Left)] = true
		case (n.Operator == "==" || n.Operator == "!=") && leftNil:
			c.optional[base(n.Right)] = true
		}
	}
}

// base returns the field that a path begins with.
func base(node ast.Node) ast.Node {
	for {
		switch n := node.(type) {
		case *ast.ChainNode:
			node = n.Node
		case *ast.MemberNode:
			if _, ok := envMember(n); ok {
				return n
			}
			node = n.Node
		default:
			return node
		}
	}
}

// nanosecondsOf is the function ns(x, unit): the stamp or duration x in nanoseconds. x is
// a number in the unit, which is ns unless it is given, a text of such a number, a date of
// RFC 3339 or a duration such as 4.5ms.
func nanosecondsOf(args ...any) (any, error) {
	unit := "ns"
	if len(args) == 2 {
		unit, _ = args[1].(string)
	}
	places, known := unitPlaces[unit]
	if len(args) == 0 || len(args) > 2 || !known {
		return nil, errors.New(`ns takes a stamp or a duration, and the unit of plain numbers: "s", "ms", "us" or "ns"`)
	}
	switch x := args[0].(type) {
	case int:
		if places == 0 {
			return x, nil
		}
		return scaled(strconv.Itoa(x), places)
	case decimal:
		return scaled(string(x), places)
	case float64:
		n, err := integral(x)
		if err != nil {
			return nil, err
		}
		return scaled(strconv.Itoa(n), places)
	case time.Time:
		return int(x.UnixNano()), nil
	case time.Duration:
		return int(x), nil
	case string:
		return nanosecondsIn(strings.TrimSpace(x), places)
	case nil:
		return nil, errors.New("ns of nil, which is not a stamp")
	}
	return nil, fmt.Errorf("ns of %v, which is not a stamp", args[0])
}

// unitPlaces are the decimal places of a nanosecond in a unit.
var unitPlaces = map[string]int{"s": 9, "ms": 6, "us": 3, "µs": 3, "ns": 0}

// integral returns a float as an integer if it is exact.
func integral(x float64) (int, error) {
	if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return 0, fmt.Errorf("%v has been rounded to a float; ns(FIELD, UNIT) reads a field exactly", x)
	}
	return int(x), nil
}

// scaled returns a decimal number times ten to the power of places.
func scaled(number string, places int) (any, error) {
	digits, exponent, hasExponent := strings.Cut(strings.ToLower(number), "e")
	if hasExponent {
		n, err := strconv.Atoi(exponent)
		if err != nil || n < -400 || n > 400 {
			return nil, fmt.Errorf("%q is not a stamp", clip([]byte(number)))
		}
		places += n
	}
	unsigned, isNegative := strings.CutPrefix(digits, "-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	all := strings.TrimLeft(whole+fraction, "0")
	switch shift := places - len(fraction); {
	case whole == "" || strings.Trim(all, "0123456789") != "":
		return nil, fmt.Errorf("%q is not a stamp: a number, a date of RFC 3339 or a duration such as 4.5ms", clip([]byte(number)))
	case all == "":
		return 0, nil
	case shift >= 0:
		all += strings.Repeat("0", shift)
	case strings.HasSuffix(all, strings.Repeat("0", -shift)):
		all = all[:len(all)+shift]
	default:
		return nil, fmt.Errorf("%s is finer than a nanosecond; ns(FIELD, UNIT) has the unit of numbers, ns unless it is given", clip([]byte(number)))
	}
	if isNegative {
		all = "-" + all
	}
	n, err := strconv.ParseInt(all, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s in nanoseconds does not fit 64 bits", clip([]byte(number)))
	}
	return int(n), nil
}

// nanosecondsIn reads a text.
func nanosecondsIn(text string, places int) (any, error) {
	if isDate(text) {
		return nanosecondsAt(text)
	}
	if strings.HasSuffix(text, "s") || strings.HasSuffix(text, "m") || strings.HasSuffix(text, "h") {
		if d, err := time.ParseDuration(text); err == nil {
			return int(d), nil
		}
	}
	return scaled(text, places)
}

// isDate reports whether text begins as a date does.
func isDate(text string) bool {
	return len(text) > 10 && text[4] == '-' && text[7] == '-' && strings.ContainsRune("Tt ", rune(text[10]))
}

var basicZone = regexp.MustCompile(`:\d\d(\.\d+)?[+-]\d{4}$`)

// nanosecondsAt reads a date of RFC 3339, also with a blank between day and time, and
// with a comma before the fraction.
func nanosecondsAt(text string) (any, error) {
	date := strings.ToUpper(text[:10] + "T" + strings.Replace(text[11:], ",", ".", 1))
	if basicZone.MatchString(date) { // as 10:00:00+0200
		date = date[:len(date)-2] + ":" + date[len(date)-2:]
	}
	at, err := time.Parse(time.RFC3339Nano, date)
	if err != nil {
		if _, err := time.Parse("2006-01-02T15:04:05", date); err == nil {
			return nil, fmt.Errorf(`%q has no time zone; add it, as in ns(FIELD + "Z")`, clip([]byte(text)))
		}
		return nil, fmt.Errorf("%q is not a date of RFC 3339", clip([]byte(text)))
	}
	if at.Year() < 1678 || at.Year() > 2261 {
		return nil, fmt.Errorf("%q in nanoseconds does not fit 64 bits", clip([]byte(text)))
	}
	_, fraction, _ := strings.Cut(date, ".")
	digits := fraction[:len(fraction)-len(strings.TrimLeft(fraction, "0123456789"))]
	if len(strings.TrimRight(digits, "0")) > 9 {
		return nil, fmt.Errorf("%q is finer than a nanosecond", clip([]byte(text)))
	}
	return int(at.UnixNano()), nil
}
