package values

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/leadline/leadline/history"
)

// Mark encloses the import path in Go source where the name of a package goes.
const Mark = "\x00"

func from(path, name string) string { return Mark + path + Mark + "." + name }

// Names that Source has for the word new, and for the word self.
const (
	NewObject = "newObject()"
	Self      = "o"
)

// Source writes an argument in Go, so that it has its type in any context. It returns false
// for what has no name outside of its package.
func (k *Kind) Source(v history.Value) (string, bool) {
	ok, name := TypeSource(k.of)
	ok = ok || k.of.Kind() == reflect.Interface
	switch {
	case v.Kind() == history.Null:
		return "nil", ok
	case k.form == text && k.source != "":
		return fmt.Sprintf(k.source, v.Text()), true
	case k.form == instant:
		return fmt.Sprintf(from("time", "Unix(%d, 0).UTC()"), v.Int()), true
	case k.form == word:
		text, written := k.sourceWord(v.Text(), name)
		return text, ok && written
	case k.form == boolean, k.form == dynamic, k.of.Kind() == reflect.Interface && k.form == number, name == "int", name == "string":
		return v.String(), ok
	case k.form < list:
		return name + "(" + v.String() + ")", ok
	}
	parts := []history.Value{v}
	if k.form != wrapped {
		parts = v.List()
	}
	var texts []string
	for i, e := range parts {
		text, written := k.elems[i%len(k.elems)].Source(e)
		ok = ok && written
		texts = append(texts, text)
	}
	return k.compose(name, texts), ok
}

// compose writes a value of several.
func (k *Kind) compose(name string, parts []string) string {
	if k.form == mapping {
		var pairs []string
		for i := 0; i < len(parts); i += 2 {
			pairs = append(pairs, parts[i]+": "+parts[i+1])
		}
		parts = pairs
	}
	all := "{" + strings.Join(parts, ", ") + "}"
	element := ""
	if len(k.elems) > 0 {
		_, element = TypeSource(k.elems[0].of)
	}
	switch {
	case k.of.Kind() == reflect.Func && k.form == list:
		return from("slices", "Values([]"+element+all+")")
	case k.of.Kind() == reflect.Func:
		_, value := TypeSource(k.elems[1].of)
		return from("maps", "All(map["+element+"]"+value+all+")")
	case k.of.Kind() == reflect.Chan:
		return fmt.Sprintf("func() %s { c := make(chan %s, %d); for _, v := range []%[2]s%[4]s { c <- v }; close(c); return c }()", name, element, len(parts), all)
	case k.of.Kind() == reflect.Pointer:
		return fmt.Sprintf("func() %s { v := %s; return &v }()", name, parts[0])
	case k.of.Kind() == reflect.Array:
		return name + "{" + strings.Join(slices.Repeat(parts, k.of.Len()), ", ") + "}"
	case k.form == wrapped:
		return parts[0]
	case k.form == structure:
		for i := range parts {
			parts[i] = k.of.Field(k.fields[i]).Name + ": " + parts[i]
		}
		return name + "{" + strings.Join(parts, ", ") + "}"
	}
	return name + all
}

func (k *Kind) sourceWord(w, name string) (string, bool) {
	if k.makers != nil {
		source := k.sources[slices.Index(k.plain, w)]
		return source, source != ""
	}
	switch w {
	case "ctx":
		return from("context", "Background()"), true
	case "canceled":
		c := from("context", "")
		return fmt.Sprintf("func() %sContext { ctx, cancel := %[1]sWithCancel(%[1]sBackground()); cancel(); return ctx }()", c), true
	case "w":
		return "new(" + from("bytes", "Buffer") + ")", true
	case "chan":
		_, element := TypeSource(k.of.Elem())
		return fmt.Sprintf("make(chan (%s), %d)", element, chanSize), true
	case "new":
		return NewObject, true
	case "self":
		return Self, true
	}
	return k.sourceFunction(w, name)
}

// sourceFunction writes a function with parameters a0, a1 and results r0, r1.
func (k *Kind) sourceFunction(w, name string) (string, bool) {
	_, head := signature(k.of, "a", "r")
	body, ok := "", true
	for i := range k.outs {
		text, written := k.sourceResult(i, w)
		ok = ok && written
		if text != "" {
			body += fmt.Sprintf("r%d = %s; ", i, text)
		}
	}
	if len(k.outs) > 0 {
		body += "return "
	}
	text := "func" + head + " { " + body + "}"
	if w == "once" {
		text = fmt.Sprintf("func() %s { var called %s; return %s }()", name, from("sync/atomic", "Bool"), text)
	}
	return text, ok
}

// sourceResult writes what a function returns as a result, and "" for the zero value. See
// Maker.returns.
func (k *Kind) sourceResult(i int, w string) (string, bool) {
	out := k.of.Out(i)
	_, name := TypeSource(out)
	at := parameter(k.of, out)
	format := from("fmt", "Sprint")
	ordered := k.of.NumIn() > 0 && hasOrder(k.of.In(0))
	switch {
	case w == "once":
		return "!called.Swap(true)", true
	case w == "less" && ordered:
		return "a0 < a1", true
	case w == "less":
		return format + "(a0) < " + format + "(a1)", true
	case w == "compare" && ordered:
		return name + "(" + from("cmp", "Compare(a0, a1))"), true
	case w == "compare":
		return name + "(" + from("strings", "Compare(") + format + "(a0), " + format + "(a1)))", true
	case w == "hash":
		return name + "(" + from("hash/crc32", "ChecksumIEEE([]byte(") + format + "(a0))))", true
	case w == "fail" && out == errorType:
		return from("errors", `New("fail")`), true
	case w == "keep" || w == "+1":
		return sourceUpdate(out, at, w == "+1"), true
	case k.outs[i] == nil || w == "f" || w == "fail":
		return "", true
	case w == "=1", w == "=true":
		return k.outs[i].Source(k.outs[i].Some(1))
	}
	return k.outs[i].Source(k.outs[i].Some(0))
}

// sourceUpdate writes a parameter, or that plus 1; see increase.
func sourceUpdate(out reflect.Type, at int, plus bool) string {
	zero := reflect.New(out).Elem()
	number := zero.CanInt() || zero.CanUint() || zero.CanFloat()
	name := fmt.Sprintf("a%d", at)
	switch {
	case plus && out.Kind() == reflect.Bool:
		return "true"
	case plus && number && at < 0:
		return "1"
	case plus && number:
		return name + " + 1"
	case plus && out.Kind() == reflect.Interface && out.NumMethod() == 0 && at < 0:
		return "1"
	case plus && out.Kind() == reflect.Interface && out.NumMethod() == 0:
		return fmt.Sprintf("func() any { if n, ok := %[1]s.(int); ok || %[1]s == nil { return n + 1 }; return %[1]s }()", name)
	case at < 0:
		return ""
	}
	return name
}

// TypeSource writes t in Go. It returns false if the type has no name outside its package.
func TypeSource(t reflect.Type) (ok bool, text string) {
	if t.Name() != "" {
		return typeName(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		ok, text = TypeSource(t.Elem())
		return ok, "*" + text
	case reflect.Slice:
		ok, text = TypeSource(t.Elem())
		return ok, "[]" + text
	case reflect.Array:
		ok, text = TypeSource(t.Elem())
		return ok, fmt.Sprintf("[%d]%s", t.Len(), text)
	case reflect.Map:
		keyOK, key := TypeSource(t.Key())
		ok, text = TypeSource(t.Elem())
		return ok && keyOK, "map[" + key + "]" + text
	case reflect.Chan:
		ok, text = TypeSource(t.Elem())
		return ok, map[reflect.ChanDir]string{reflect.RecvDir: "<-chan ", reflect.SendDir: "chan<- ", reflect.BothDir: "chan "}[t.ChanDir()] + "(" + text + ")"
	case reflect.Func:
		ok, text = signature(t, "", "")
		return ok, "func" + text
	case reflect.Struct:
		for f := range t.Fields() {
			if !f.IsExported() || f.Type.PkgPath() != "" || f.Type.Name() == "" {
				return false, t.String()
			}
		}
		return true, t.String()
	}
	return t.Kind() == reflect.Interface && t.NumMethod() == 0, t.String()
}

func typeName(t reflect.Type) (bool, string) {
	name := t.Name()
	if t.PkgPath() == "" {
		return true, name
	}
	exported := name[0] >= 'A' && name[0] <= 'Z'
	_, args, _ := strings.Cut(name, "[")
	hidden := slices.Contains(strings.Split(t.PkgPath(), "/"), "internal")
	marked := qualified().ReplaceAllString(name, Mark+"$1"+Mark+".$2")
	return exported && !hidden && !strings.ContainsAny(args, "./"), from(t.PkgPath(), marked)
}

// qualified matches the types of packages in the arguments of a generic type.
var qualified = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([\w./~%-]+)\.(\w+)`) })

// signature writes the parameters and results of a function. If param is not "", they have
// names that begin with param and result.
func signature(t reflect.Type, param, result string) (ok bool, text string) {
	ok = true
	one := func(i int, name, dots string, of reflect.Type) string {
		named, text := TypeSource(of)
		if ok = ok && named; name != "" {
			name += strconv.Itoa(i) + " "
		}
		return name + dots + text
	}
	var params, results []string
	for i := range t.NumIn() {
		if t.IsVariadic() && i == t.NumIn()-1 {
			params = append(params, one(i, param, "...", t.In(i).Elem()))
		} else {
			params = append(params, one(i, param, "", t.In(i)))
		}
	}
	for i := range t.NumOut() {
		results = append(results, one(i, result, "", t.Out(i)))
	}
	text = "(" + strings.Join(params, ", ") + ")"
	if len(results) > 0 {
		text += " (" + strings.Join(results, ", ") + ")"
	}
	return ok, text
}
