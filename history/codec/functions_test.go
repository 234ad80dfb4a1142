package codec

import (
	"fmt"
	"strings"
	"testing"
)

// TestMappedFunctions: functions and operators keep numbers as they are, and have one order.
func TestMappedFunctions(t *testing.T) {
	record := `{"long":"` + strings.Repeat("x", 1_000_000) + `","n":9223372036854775807,"m":-9223372036854775808,"f":1795731406.938284397,"s":"a b","z":3,"lower":"A",` +
		`"o":{"k9":1,"k8":2,"k7":3,"k6":4,"k5":5},"j":"{\"i\":9007199254740993,\"t\":1795731406.938284397,\"l\":[7,1.5,null]}"}`
	for _, test := range []struct{ args, want string }{
		{`[fromJSON(j).i, fromJSON(j).l]`, `[9007199254740993 [7, 1.5, null]]`},
		{`ns(fromJSON(j).t, "s")`, "[1795731406938284397]"}, {`fromJSON("[1,2")`, "fromJSON: unexpected end"}, {`fromJSON("{\"a\":1,\"a\":2}")`, "occurs twice"},
		{`fromJSON(z)`, "fromJSON takes a string"}, {`fromJSON("1 2")`, "fromJSON: unexpected '2'"},
		{`keys(o)`, `["k5" "k6" "k7" "k8" "k9"]`}, {`values(o)`, "[5 4 3 2 1]"}, {`toPairs(o)[0]`, `["k5" 5]`}, {`keys(s)`, "is not an object"},
		{`int("12")`, "[12]"}, {`int(12.0)`, "[12]"}, {`int(duration("4us"))`, "[4000]"}, {`int(f * 1e9)`, "has been rounded"}, {`int("x")`, "int(x)"},
		{`n + 1`, "does not fit 64 bits"}, {`n - -1`, "does not fit 64 bits"}, {`m - 1`, "does not fit 64 bits"}, {`m * -1`, "does not fit 64 bits"},
		{`-1 * m`, "does not fit 64 bits"}, {`n * 2`, "does not fit 64 bits"}, {`[n + 0, m - 0, n - n, m + n, n * 1, -1 * n, 0 * m]`, "[9223372036854775807 -9223372036854775808 0 -1 9223372036854775807 -9223372036854775807 0]"},
		{`[z + 1.5, s + "c", z * 2, z - 1]`, `[4.5 "a bc" 6 2]`}, {`s + 1`, "invalid operation: string + int"},
		{`split(s, " ")`, `["a" "b"]`}, {`[split(s, " ")]`, `[["a", "b"]]`}, {`1..z`, "[1 2 3]"}, {`ns(z == nil ? refuse("no z") : z)`, "[3]"}, {`ns(ns(z, "us") + 5, "us")`, "[3005000]"},
		{`join(["a", s], "-") + join(split(s, " ")) + replace(s, "a", "b") + replace("aa" + "a", "a", "b") + string(z) + string([1, s, nil])`, `["a-a babb bbbb3[1 a b <nil>]"]`},
		{`string(map("abc", string(z)))`, "builtin map takes only array"}, {`join(s)`, "join takes a list of strings"}, {`join([z])`, "does not work for these values"}, {`replace(z, "a", "b")`, "does not work for these values"},
		{`replace(s, "a")`, "not enough arguments"}, {`string()`, "not enough arguments"}, {`repeat(s, 2)`, "unknown function repeat"}, {`toJSON(o)`, "unknown function toJSON"},
		{`replace(long, "x", long)`, "memory budget exceeded"}, {`long + long`, "memory budget exceeded"},
		{`join([long, long])`, "memory budget exceeded"}, {`join(map(1..1000, "x"), long)`, "memory budget exceeded"}, {`string([long, long])`, "memory budget exceeded"},
		{`[lower(lower), let z = z + 1; $env["z"] + z]`, `["a" 7]`},
		{`[date("2026-11-28T12:00:00Z") + duration("1s"), duration("1.5s") - duration("1s"), "2026-11-28T12:00:00Z" - date("2026-11-28T11:59:59Z"), 3 * duration("2s")]`, "[1795867201000000000 500000000 1000000000 6000000000]"},
		{`s - 1`, "invalid operation: string - int"}, {`o * 2`, "does not work for these values"}, {`[1.5 * 2, 1 - 0.5]`, "[3.0 0.5]"},
		{`let r = 1..1000; reduce(r, #acc + count(r, # > 500), 0)`, "[500000]"}, {`let r = 1..10000; count(r, any(r, # < 0))`, "work budget exceeded"},
		{`[-f, -z, -(-z), -1]`, "[-1.7957314069382844e+09 -3 3 -1]"}, {`-m`, "does not fit 64 bits"}, {`-s`, "invalid operation: - string"}, {`sum([z])`, "unknown function sum"}, {`findLast([z], true)`, "unknown function findLast"}, {`abs(m)`, "unknown function abs"},
		{`all(1..2, any(1..2, one(1..2, true)))`, "3 loops (map, filter, any and so on) are inside of one another; at most 2 may be"}, {`map(map(map(filter([1], true), #), # + 1), # + 1)`, "[3]"},
		{`map([1], map([2], 3) == [3] and map([4], 5) == [5])`, "[true]"},
		{`let r = 1..100000; count(r, -1 in r)`, "work budget exceeded"}, {`count(1..100000, long matches "(x*)*y")`, "work budget exceeded"},
		{`reduce(1..1000000, "x" + #acc, "")`, "work budget exceeded"}, {`let r = 1..100000; count(r, upper(string(r)) == "")`, "work budget exceeded"},
		{`uniq([z])`, "unknown function uniq"}, {`map([s], # + 1)`, "^"}, {`filter([z], # + 1)`, "^"}, {`filter([z], "x")`, "^"},
		{bomb(), "memory budget exceeded"}, {"string(" + bomb() + ")", "memory budget exceeded"},
	} {
		if testing.Short() && test.want == "work budget exceeded" {
			continue // a second each, and twenty under the race detector
		}
		got := ""
		for h, err := range Decode(strings.NewReader(record), "in", Options{Map: "op=$line,type=\"invoke\",f=\"f\",args=" + test.args}) {
			if err != nil {
				got = err.Error()
				break
			}
			got = fmt.Sprint(h.Ops[0].Args)
		}
		if got != test.want && (strings.HasPrefix(test.want, "[") || !strings.Contains(got, test.want)) {
			t.Errorf("args=%.80s: %.200s, want %s", test.args, got, test.want)
		}
	}
}

// bomb returns a list of 10^12 values in an expression of 130 nodes.
func bomb() string {
	text, last := "", "1"
	for _, name := range strings.Split("abcdefghijkl", "") {
		text += "let x" + name + " = [" + strings.Repeat(last+",", 9) + last + "]; "
		last = "x" + name
	}
	return "(" + text + last + ")"
}
