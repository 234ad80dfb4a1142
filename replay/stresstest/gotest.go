package stresstest

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/gotest"
	"github.com/leadline/leadline/history/stress/values"
)

// A Place is where Go tests of a violation stand, and how they make objects. Expressions have
// import paths between marks of package values.
type Place struct {
	Package, Name string // the package clause, and the name of the test
	Own           string // import path, if names of that package have no qualifier
	Known         map[string]string
	// Declaration declares what Constructor needs, an expression that makes an object. New is a
	// function that does, and Options are those of Test.
	Declaration, Constructor, New, Options string
	// Suffix ends the names of functions, in a package that has others.
	Suffix string
}

// GoTests are Go tests of a violation.
type GoTests struct {
	// Alone needs nothing but the package under test, and Schedule replays the schedule. Each
	// may be "".
	Alone, Schedule string
	Remark          string // why one is missing

	fails func(output string) bool // reports whether a run of Alone shows the violation
}

// Try builds both tests, with temp for files, and runs Alone in dir until the time is over. It drops those that
// cannot be built, and Alone if it does not fail.
func (g *GoTests) Try(ctx context.Context, left time.Duration, temp, dir, name string, build func(program, text string) error) (trial gotest.Trial) {
	program := filepath.Join(temp, "found.test")
	if g.Alone != "" {
		const missing = "no Go test without leadline: "
		if err := build(program, g.Alone); err != nil {
			g.Remark = missing + err.Error()
		} else if trial = gotest.Try(ctx, left, program, dir, name, g.fails); trial.Runs == 0 {
			g.Remark = missing + "the time was over before it had run"
		} else if trial.Failing == 0 {
			g.Remark = fmt.Sprintf("%sthe violation is rare on threads, and it did not fail in %d of %[2]d runs", missing, trial.Runs)
		}
		if trial.Failing == 0 {
			g.Alone = ""
		}
	}
	if g.Schedule != "" {
		if err := build(program, g.Schedule); err != nil {
			g.Schedule, g.Remark = "", strings.TrimPrefix(fmt.Sprintf("%s; no Go test of the schedule: %v", g.Remark, err), "; ")
		}
	}
	return trial
}

// GoTestsOf writes Go tests of a violation. A schedule has a test of its own. Threads have one only
// if they have shown the violation, too.
func GoTestsOf(f *stress.Finding, at Place) (tests GoTests) {
	imports := func(taken ...string) *gotest.Imports {
		return &gotest.Imports{Own: at.Own, Known: at.Known, Taken: taken}
	}
	tests.fails = gotest.Unexplains
	seen := fmt.Sprintf("seen on threads: %d of %d executions", f.Times, f.Executions)
	if s := f.Scheduled; s != nil && f.Failure == nil {
		seen = s.RealThreads()
		tests.Schedule = at.schedule(f, imports("t"))
	}
	switch {
	case f.GoTest == nil:
		return tests
	case f.GoTest.Missing != "":
		tests.Remark = "no Go test without leadline: " + f.GoTest.Missing
	case f.Failure == nil && f.Scheduled != nil && f.Scheduled.OnThreads == 0:
		tests.Remark = "no Go test without leadline, as only schedules show the violation"
		if seen != "" {
			tests.Remark += " (" + seen + ")"
		}
	default:
		test := gotest.Test{Package: at.Package, Name: at.Name, Body: f.GoTest.Body, Declaration: at.Declaration, Constructor: at.Constructor,
			ByValue: f.GoTest.ByValue, Imports: imports(gotest.Taken...)}
		if f.Failure != nil {
			tests.fails = gotest.Fails
			test.Comment = fmt.Sprintf("fails with\n\n\t%s\n\nwhich the same calls never do one after another.", strings.Join(strings.Fields(f.Failure.String()), " "))
			tests.Alone = test.Source()
			return tests
		}
		test.Comment = fmt.Sprintf("fails if no order of the calls explains their results.\nIt runs ten seconds, or one with -short.\n\n\t%s\n\treturned %s (%s)",
			f.Program, strings.Join(strings.Fields(f.Outcome), " "), seen)
		tests.Alone = test.Source()
	}
	return tests
}

// schedule writes the test that replays the schedule of a violation.
func (at *Place) schedule(f *stress.Finding, m *gotest.Imports) string {
	m.Name("testing")
	made, options := m.Resolve(at.New), m.Resolve(at.Options)
	test := m.Name(modulePath + "/replay/stresstest")
	text := fmt.Sprintf("package %s\n\n%s\n// %sSchedule replays a schedule of\n//\n//\t%s\n//\n// which returned %s. If the steps are others by now, it explores the schedules\n"+
		"// of the program.\nfunc %[3]sSchedule(t *testing.T) {\n%[6]s.Replay(t, %s, %s, %s, %q)\n}\n",
		at.Package, m, at.Name, f.Program, strings.Join(strings.Fields(f.Outcome), " "), test, made, options, gotest.Quote(f.Program), f.Scheduled.Schedule)
	return gotest.Formatted(text)
}

// alias is the qualifier p of a constructor's package.
var alias = regexp.MustCompile(`\bp\.`)

// PlaceOf returns the place of tests of what a constructor makes, an expression that calls the
// package of the path p. must: the constructor returns an error, too.
func PlaceOf(f *stress.Finding, path, packageName, expression string, must bool) Place {
	constructor := alias.ReplaceAllLiteralString(expression, values.Mark+path+values.Mark+".")
	at := Place{Package: "stress_test", Name: gotest.Name(packageName + " " + strings.TrimPrefix(function.FindString(expression), "p.") + " " + f.Method), Constructor: constructor, Known: map[string]string{path: packageName}}
	made, of := constructor, ""
	if must {
		at.Constructor, at.Declaration = "must("+constructor+")", gotest.Must
		made = values.Mark + modulePath + "/history/stress" + values.Mark + ".Must(" + constructor + ")"
	}
	if f.GoTest != nil {
		if of = f.GoTest.Type; f.GoTest.ByValue {
			of = strings.TrimPrefix(of, "*")
		}
	}
	if at.New = fmt.Sprintf("func() %s { return %s }", of, made); simple.MatchString(expression) && !must {
		at.New = strings.TrimSuffix(constructor, "()")
	}
	return at
}

// function matches the p and the name of the constructor's function.
var function = regexp.MustCompile(`\bp\.\w+`)

// simple matches a function without arguments.
var simple = regexp.MustCompile(`^p\.\w+\(\)$`)

// OptionsSource writes the options of Test, with marks, as far as they name methods, and with the
// functions of a package that are Makers.
func OptionsSource(o *stress.ReflectOptions, path string, makers ...string) string {
	var fields []string
	for _, f := range []struct {
		name    string
		methods []string
	}{{"Core", o.Core}, {"ReadOnly", o.ReadOnly}, {"Weak", o.Weak}, {"Exclude", o.Exclude}} {
		if len(f.methods) > 0 {
			fields = append(fields, fmt.Sprintf("%s: %#v", f.name, slices.Clone(f.methods)))
		}
	}
	if len(makers) > 0 {
		qualifier := values.Mark + path + values.Mark + "."
		fields = append(fields, "Makers: []any{"+qualifier+strings.Join(makers, ", "+qualifier)+"}")
	}
	text := values.Mark + modulePath + "/replay/stresstest" + values.Mark + ".Options{"
	if fields != nil {
		text += "ReflectOptions: " + values.Mark + modulePath + "/history/stress" + values.Mark + ".ReflectOptions{" + strings.Join(fields, ", ") + "}"
	}
	return text + "}"
}
