package porcupine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// A name is the method, arguments and result of an operation in the history.
type name struct {
	method string
	args   []history.Value
	result history.Value
}

// names names the operations and registers them with the specification. Two
// operations have the same method and arguments only if they have the same input
// and part; an argument identifies the part. If their results are the same, too,
// so are their outputs.
func (c *converter) names() []name {
	names := make([]name, len(c.ops))
	for i := range c.ops {
		names[i] = c.spec.describeOperation(c.ops[i].input, c.ops[i].output)
	}
	partsAreArguments := c.partsAreArguments(names)
	calls, results := newNamer(), newNamer()
	for i := range c.ops {
		op, n := c.ops[i], &names[i]
		partArg := 0
		switch {
		case len(c.spec.parts) <= 1:
		case partsAreArguments:
			partArg = 1
			c.spec.parts[op.part] = n.args[0].String()
		default:
			n.args = append(n.args, history.StringValue(c.spec.parts[op.part]))
			partArg = len(n.args)
		}
		key := calls.pick(c.contents.key(op.input), n.method, func(method string) string {
			n.method = method
			return string(callKey(nil, method, n.args))
		})
		called := c.spec.calls[key]
		if called == nil {
			called = &call{input: op.input, part: op.part, partArg: partArg, byKey: map[string]int{}}
			c.spec.calls[key] = called
		}
		text := n.result.String()
		full := results.pick(c.contents.key(op.output), text, func(result string) string {
			if result != text {
				n.result = history.StringValue(result)
			}
			return key + string(n.result.AppendKey(nil))
		})
		result := full[len(key):]
		if _, known := called.byKey[result]; !known {
			called.byKey[result] = len(called.results)
			called.results = append(called.results, output{n.result, op.output})
		}
	}
	return names
}

// partsAreArguments reports whether the first arguments of operations identify their parts.
func (c *converter) partsAreArguments(names []name) bool {
	partOf, argOf := map[string]int{}, map[int]string{}
	for i := range c.ops {
		if len(names[i].args) == 0 {
			return false
		}
		part, arg := c.ops[i].part, string(names[i].args[0].AppendKey(nil))
		p, seen := partOf[arg]
		a, named := argOf[part]
		if seen != named || seen && (p != part || a != arg) {
			return false
		}
		partOf[arg], argOf[part] = part, arg
	}
	return true
}

// A namer gives distinct things distinct names.
type namer struct {
	numbers map[string]int // thing -> its number
	owners  map[string]int // key of a name -> the number of the thing that has the name
}

func newNamer() namer { return namer{map[string]int{}, map[string]int{}} }

// pick names a thing: as proposed or, if another thing has that name, with the number of the
// thing added. It returns the key of the name.
func (n *namer) pick(thing, name string, keyOf func(name string) string) string {
	number, known := n.numbers[thing]
	if !known {
		number = len(n.numbers) + 1
		n.numbers[thing] = number
	}
	for {
		key := keyOf(name)
		if owner, taken := n.owners[key]; !taken || owner == number {
			n.owners[key] = number
			return key
		}
		name = fmt.Sprintf("%s#%d", name, number)
	}
}

// anyMethod is the method of operations whose descriptions do not name one.
const anyMethod = "step"

// describeOperation returns the name of an operation from the model's DescribeOperation,
// or a name made of the input and the output.
func (s *specification) describeOperation(input, output any) name {
	text := described("", s.model.DescribeOperation != nil, func() string { return s.model.DescribeOperation(input, output) })
	if text = strings.TrimSpace(text); text == "" {
		return name{anyMethod, []history.Value{plainValue(input)}, plainValue(output)}
	}
	n := parseName(text)
	if output == nil {
		n.result = history.NoValue
	}
	return n
}

// parseName parses a description such as get('x') -> 'y'. If it has another form,
// everything before the last arrow is one argument.
func parseName(text string) name {
	call, result := text, history.NoValue
	if i := strings.LastIndex(text, "->"); i > 0 {
		before := strings.TrimSpace(text[:i])
		if isCall(before) || !isCall(text) { // otherwise the arrow is in an argument
			call, result = before, textValue(text[i+2:])
		}
	}
	if !isCall(call) {
		return name{anyMethod, []history.Value{textValue(call)}, result}
	}
	method, args, _ := strings.Cut(call, "(")
	return name{strings.TrimSpace(method), parseArgs(strings.TrimSuffix(args, ")")), result}
}

// isCall reports whether text has the form method(arguments).
func isCall(text string) bool {
	method, _, found := strings.Cut(text, "(")
	return found && strings.TrimSpace(method) != "" && strings.HasSuffix(text, ")")
}

// parseArgs parses arguments, or returns the text as one argument.
func parseArgs(text string) []history.Value {
	for _, quoted := range []string{text, strings.ReplaceAll(text, "'", `"`)} {
		list, err := history.ParseValue("[" + quoted + "]")
		if err == nil && list.Kind() == history.List && !slices.ContainsFunc(list.List(), isSpecial) {
			return list.List()
		}
	}
	return []history.Value{textValue(text)}
}

// isSpecial reports whether v is not just a value.
func isSpecial(v history.Value) bool {
	return v.HoldsUnknown() || v.Kind() == history.Exception || v.Kind() == history.None
}

// textValue returns the value that text denotes, or text itself as a string.
func textValue(text string) history.Value {
	text = strings.TrimSpace(text)
	if n := len(text); n >= 2 && text[0] == '\'' && text[n-1] == '\'' {
		return history.StringValue(text[1 : n-1])
	}
	v, err := history.ParseValue(text)
	if err != nil || isSpecial(v) {
		return history.StringValue(text)
	}
	return v
}

// plainValue returns the value that the text of x denotes, and nil as no value.
func plainValue(x any) history.Value {
	if x == nil {
		return history.NoValue
	}
	return textValue(fmt.Sprintf("%+v", x))
}
