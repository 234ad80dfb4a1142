package instrument

import (
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Functions without a body are elsewhere: in assembly, or in another package,
// which a directive names:
//
//	//go:linkname local package.name
//
// Functions of the runtime that return a different result each time get a body.
var standIns = []struct {
	names func() *regexp.Regexp
	kind  string
	body  string // $0 is the first parameter, and so on; $R the type of the result
}{
	{compiled(`^(runtime|math/rand|math/rand/v2|sync|internal/runtime/\w+)\.(runtime_)?(fastrand|cheaprand|rand)(32|64|u|_?fastrand|_?rand)?$|^math/rand\.runtime_fastrand64$`), "random source",
		"return $R(" + hook + ".Rand64())"},
	{compiled(`^(runtime|sync)\.(runtime_)?(fastrandn|cheaprandn|randn)$`), "random source",
		"return $R(uint64(uint32(" + hook + ".Rand64())) * uint64($0) >> 32)"},
	{compiled(`^runtime\.(nanotime1?|cputicks)$`), "clock", "return $R(" + hook + ".Nanotime())"},
	{compiled(`^runtime\.memhash$`), "hash", "return $R(" + hook + ".MemHash($0, uintptr($1), uintptr($2)))"},
	{compiled(`^runtime\.memhash(32|64)$`), "hash", "return $R(" + hook + ".MemHash($0, uintptr($1), $N))"},
	{compiled(`^runtime\.strhash$`), "hash", "return $R(" + hook + ".StrHash($0, uintptr($1)))"},
}

// seeded are hash functions of the runtime that use a seed of the process and have no
// replacement.
var seeded = compiled(`^runtime\.(typehash|nilinterhash|interhash|efacehash|f\d+hash|c\d+hash)$`)

// scheduling are functions of the runtime that work on goroutines and
// processors. They cannot run in a scheduled execution.
var scheduling = compiled(`^(runtime|sync|sync/atomic|internal/\w+)\.((sync_|poll_|sync_atomic_|runtime_)*(procPin|procUnpin|[sS]emacquire\w*|[sS]emrelease\w*|notifyList\w*|canSpin|doSpin)|gopark\w*|goready|goyield|mcall|acquirem|releasem|registerPoolCleanup)$`)

const endsExecution = " (it ends a scheduled execution)"

// linknames rewrites or notes the functions of a file that have no body.
func (r *rewriter) linknames(f *ast.File) {
	directives := map[string]*ast.Comment{}
	targets := map[string]string{}
	for _, g := range f.Comments {
		for _, c := range g.List {
			fields := strings.Fields(c.Text)
			if len(fields) == 3 && fields[0] == "//go:linkname" {
				directives[fields[1]], targets[fields[1]] = c, fields[2]
			}
			if c.Text == "//go:nosplit" {
				// Hooks need stack.
				r.cut(c.Pos(), c.End(), "//")
			}
		}
	}
	for _, d := range f.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		target := targets[f.Name.Name]
		delete(targets, f.Name.Name)
		switch {
		case f.Body != nil && target != "":
			r.notes.miss("linkname "+target, r.place(f.Pos()))
		case f.Body != nil:
		case target == "":
			r.withoutBody(f)
		default:
			r.linked(f, directives[f.Name.Name], target)
		}
	}
	for _, local := range slices.Sorted(maps.Keys(targets)) { // variables, and functions of other files
		r.notes.miss("linkname "+targets[local], r.place(directives[local].Pos()))
	}
}

// withoutBody notes a function in assembly.
func (r *rewriter) withoutBody(f *ast.FuncDecl) {
	for _, atomics := range r.atomics {
		if atomics.function == f.Name.Name {
			r.refuse(f.Pos(), "%s is in assembly (%s) with the instruction %s, which nothing sees", f.Name.Name, atomics.file, atomics.instruction)
			return
		}
	}
	r.notes.miss("assembly "+f.Name.Name, r.place(f.Pos()))
}

func (r *rewriter) linked(f *ast.FuncDecl, directive *ast.Comment, target string) {
	for _, s := range standIns {
		if s.names().MatchString(target) {
			r.notes.count(s.kind, 1)
			r.standIn(f, directive, "//", s.body, target)
			return
		}
	}
	switch {
	case scheduling().MatchString(target):
		// It is called outside scheduled executions only.
		real := hook + f.Name.Name
		r.notes.miss("linkname "+target+endsExecution, r.place(f.Pos()))
		params := r.parameters(f)
		call := real + "(" + strings.Join(params, ", ") + ")"
		if f.Type.Results != nil {
			call = "return " + call
		}
		declaration := "; func " + real + "(" + r.parameterList(f) + ") " + r.resultType(f)
		r.standIn(f, directive, "//go:linkname "+real+" "+target, hook+".Unsupported("+strconv.Quote(target)+"); "+call, target)
		r.closed(f.End(), declaration)
	case seeded().MatchString(target):
		r.notes.miss("linkname "+target+" (it hashes in another way in each process)", r.place(f.Pos()))
	default:
		r.notes.miss("linkname "+target, r.place(f.Pos()))
	}
}

// standIn gives a function a body.
func (r *rewriter) standIn(f *ast.FuncDecl, directive *ast.Comment, instead, body, target string) {
	if f.Doc != nil {
		for _, c := range f.Doc.List {
			if c.Text == "//go:noescape" {
				r.cut(c.Pos(), c.End(), "//")
			}
		}
	}
	r.cut(directive.Pos(), directive.End(), instead)
	r.used = true
	width := "8"
	if strings.HasSuffix(target, "32") {
		width = "4"
	}
	body = strings.NewReplacer("$R", r.resultType(f), "$N", width).Replace(body)
	for i, p := range r.parameters(f) {
		body = strings.ReplaceAll(body, "$"+strconv.Itoa(i), p)
	}
	if strings.Contains(body, "$") {
		r.refuse(f.Pos(), "%s has not the parameters of %s", f.Name.Name, target)
		return
	}
	r.cut(f.Type.Params.Opening+1, f.Type.Params.Closing, r.parameterList(f))
	r.closed(f.End(), " { "+body+" }")
}

// parameters returns a name for each parameter.
func (r *rewriter) parameters(f *ast.FuncDecl) []string {
	var names []string
	for range f.Type.Params.NumFields() {
		names = append(names, fmt.Sprint(hook, len(names)))
	}
	return names
}

// parameterList returns the parameters with these names.
func (r *rewriter) parameterList(f *ast.FuncDecl) string {
	var list []string
	for _, p := range f.Type.Params.List {
		for range max(1, len(p.Names)) {
			list = append(list, fmt.Sprint(hook, len(list), " ", oneLine([]byte(r.source(p.Type)))))
		}
	}
	return strings.Join(list, ", ")
}

func (r *rewriter) resultType(f *ast.FuncDecl) string {
	if f.Type.Results == nil {
		return ""
	}
	return oneLine([]byte(r.source(f.Type.Results.List[0].Type)))
}

// An atomicInstruction is one in a function in assembly.
type atomicInstruction struct{ function, file, instruction string }

var (
	textDirective = compiled(`^\s*TEXT\s+[^(]*?·(\w+)(<ABIInternal>)?\(SB\)`)
	atomicMnemo   = compiled(`^\s*(?:\w+:\s*)?(LOCK|XCHG[BWLQ]|CMPXCHG\w*|LDAX\w*|STLX\w*|LDXR\w*|STXR\w*|CAS[ADLPBHW]\w*|SWP[ADLBHW]\w*|LDADD\w*|LR[WD]|SC[WD]|AMO\w+|LWAR\w*|STWCC\w*|LDAR|STDCC\w*)\b`)
)

// atomicInstructions returns those of a file in assembly.
func atomicInstructions(name string, text []byte) []atomicInstruction {
	var found []atomicInstruction
	function := ""
	for line := range strings.Lines(string(text)) {
		if m := textDirective().FindStringSubmatch(line); m != nil {
			function = m[1]
		}
		if m := atomicMnemo().FindStringSubmatch(line); m != nil {
			found = append(found, atomicInstruction{function, name, m[1]})
		}
	}
	return found
}
