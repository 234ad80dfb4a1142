package leadline

import (
	"fmt"
	"reflect"
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
	partArg := c.nameParts(names)
	calls, results := newNamer(), newNamer()
	for i := range c.ops {
		op, n := &c.ops[i], &names[i]
		if partArg < 0 {
			n.args = append(n.args, history.StringValue(c.spec.parts[op.part]))
		}
		method, input := n.method, c.key(op.input)
		key := calls.pick(input, func(k int) string {
			if k > 1 {
				n.method = fmt.Sprintf("%s#%d", method, k)
			}
			return string(callKey(nil, n.method, n.args))
		})
		called := c.spec.calls[key]
		if called == nil {
			called = &call{input: op.input, part: op.part, byKey: map[string]int{}}
			switch {
			case len(c.spec.parts) <= 1:
			case partArg < 0:
				called.partArg = len(n.args)
			default:
				called.partArg = 1
			}
			c.spec.calls[key] = called
		}
		value := n.result
		full := results.pick(c.key(op.output), func(k int) string {
			switch {
			case k == 2 && value.Kind() == history.None:
				n.result = plainValue(op.output)
			case k > 1:
				n.result = history.StringValue(fmt.Sprintf("%v#%d", value, k))
			}
			return key + string(n.result.AppendKey(nil))
		})
		resultKey := full[len(key):]
		if _, known := called.byKey[resultKey]; !known {
			called.byKey[resultKey] = len(called.results)
			called.results = append(called.results, result{n.result, op.output})
		}
	}
	return names
}

// nameParts names the parts of the partition. It returns the index of the argument that
// identifies the part of an operation. That is 0 if the first argument always does.
// Otherwise it is -1, and the caller has to add an argument at the end.
func (c *converter) nameParts(names []name) int {
	if len(c.spec.parts) <= 1 {
		return 0
	}
	partOf, argOf := map[string]int{}, map[int]string{}
	for i := range c.ops {
		if len(names[i].args) == 0 {
			return -1
		}
		part, arg := c.ops[i].part, string(names[i].args[0].AppendKey(nil))
		p, seen := partOf[arg]
		a, named := argOf[part]
		if seen != named || seen && (p != part || a != arg) {
			return -1
		}
		partOf[arg], argOf[part] = part, arg
	}
	for i := range c.ops {
		c.spec.parts[c.ops[i].part] = names[i].args[0].String()
	}
	return 0
}

// A namer gives distinct things distinct names.
type namer struct {
	taken map[string]string // name -> the thing that has it
	given map[string]int    // first name and thing -> the number of the thing's name
	last  map[string]int    // first name -> the last number given
}

func newNamer() namer { return namer{map[string]string{}, map[string]int{}, map[string]int{}} }

// pick returns a name for a thing: the first of name(1), name(2), ... that no other thing
// has. The last call of name is for the name returned.
func (n *namer) pick(thing string, name func(k int) string) string {
	first := name(1)
	k := n.given[first+thing]
	if k == 0 {
		k = n.last[first] + 1
	}
	for ; ; k++ {
		candidate := name(k)
		if owner, taken := n.taken[candidate]; !taken || owner == thing {
			n.taken[candidate] = thing
			n.given[first+thing], n.last[first] = k, max(k, n.last[first])
			return candidate
		}
	}
}

// anyMethod is the method of operations whose descriptions do not name one.
const anyMethod = "step"

// describeOperation returns the name of an operation from the model's DescribeOperation,
// or a name made of the input and the output.
func (s *specification) describeOperation(input, output any) (n name) {
	plain := name{anyMethod, []history.Value{plainValue(input)}, plainValue(output)}
	if s.model.DescribeOperation == nil {
		return plain
	}
	defer func() {
		if recover() != nil { // porcupine calls it for visualizations only
			n = plain
		}
	}()
	text := strings.TrimSpace(s.model.DescribeOperation(input, output))
	if text == "" {
		return plain
	}
	if n = parseName(text); output == nil {
		n.result = history.NoValue
	}
	return n
}

// arrows are the separators between a call and its result in descriptions.
var arrows = []string{"->", "=>", "\u2192", "=", ":"}

// parseName parses a description such as get('x') -> 'y'. If it has another form,
// everything before the last arrow is one argument.
func parseName(text string) name {
	if open := strings.IndexByte(text, '('); open > 0 {
		if args, rest, ok := cutArgs(text[open+1:]); ok {
			rest = strings.TrimSpace(rest)
			method := strings.TrimSpace(text[:open])
			if rest == "" && method != "" {
				return name{method, args, history.NoValue}
			}
			for _, arrow := range arrows {
				if after, ok := strings.CutPrefix(rest, arrow); ok && method != "" {
					return name{method, args, textValue(after)}
				}
			}
		}
	}
	if i := strings.LastIndex(text, "->"); i > 0 {
		return name{anyMethod, []history.Value{textValue(text[:i])}, textValue(text[i+2:])}
	}
	return name{anyMethod, []history.Value{textValue(text)}, history.NoValue}
}

// cutArgs parses arguments up to the closing parenthesis and returns the rest.
func cutArgs(text string) (args []history.Value, rest string, ok bool) {
	nesting, start := 0, 0
	var quote byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[' || c == '{':
			nesting++
		case nesting > 0 && (c == ')' || c == ']' || c == '}'):
			nesting--
		case nesting == 0 && (c == ',' || c == ')'):
			if c == ',' || len(args) > 0 || strings.TrimSpace(text[:i]) != "" {
				args = append(args, textValue(text[start:i]))
			}
			if start = i + 1; c == ')' {
				return args, text[start:], true
			}
		}
	}
	return nil, "", false
}

// textValue returns the value that text denotes, or text itself as a string.
func textValue(text string) history.Value {
	text = strings.TrimSpace(text)
	if n := len(text); n >= 2 && text[0] == '\'' && text[n-1] == '\'' {
		return history.StringValue(text[1 : n-1])
	}
	v, err := history.ParseValue(text)
	if err != nil || v.Kind() == history.Unknown || v.Kind() == history.Exception || v.Kind() == history.None {
		return history.StringValue(text)
	}
	return v
}

// plainValue returns numbers, strings and booleans as they are, nil as no value, and the
// text of any other value.
func plainValue(x any) history.Value {
	switch v := reflect.ValueOf(x); v.Kind() {
	case reflect.Invalid:
		return history.NoValue
	case reflect.Bool:
		return history.BoolValue(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return history.IntValue(v.Int())
	case reflect.Float64:
		return history.FloatValue(v.Float())
	case reflect.String:
		return history.StringValue(v.String())
	}
	return history.StringValue(fmt.Sprintf("%+v", x))
}
