package composed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/worker"
)

// CheckAll explores the targets of a program, which calls Serve, and reports each of them. A target that
// ends the process, or takes no step for some time, does not keep the others from being explored.
func CheckAll(ctx context.Context, program worker.Program, silence time.Duration, targets int, each func(int, *Report)) error {
	var p *worker.Process
	defer func() {
		if p != nil {
			p.Close()
		}
	}()
	for i := range targets {
		if p == nil {
			var err error
			if p, err = worker.Start(ctx, program, worker.Guard{Silence: silence}); err != nil {
				return err
			}
		}
		c := &Report{}
		_ = p.Send(i) // Receive has the error
		err := p.Receive(c)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if death := (*worker.Death)(nil); errors.As(err, &death) {
			c.Reason = death.Error()
			if death.Cause == worker.Silent {
				c.Reason = fmt.Sprintf("it waits for something outside of the scheduler, or does not end: no step in %v", silence)
			}
			p.Close()
			p = nil
		} else if err != nil {
			return err
		}
		each(i, c)
	}
	return nil
}

// Serve is the main function of a program that explores targets for CheckAll. It returns the exit status.
func Serve(targets []Target) int {
	return worker.Serve(func(ctx context.Context, conn *worker.Conn) error {
		for {
			var i int
			if err := conn.Receive(&i); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			conn.Send(Check(ctx, &targets[i], conn.Alive))
		}
	})
}

// Check explores a target. It calls moved again and again. Arguments of type bool are true and, if that
// shows no violation, false.
func Check(ctx context.Context, t *Target, moved func()) *Report {
	var c *Report
	for _, no := range []bool{false, true} {
		b, now := newBody(t), &Report{}
		b.no = no
		if err := now.explore(ctx, b, moved); err != nil {
			now.Reason = err.Error()
		}
		if c == nil || now.Violation != nil || c.Reason != "" && now.Reason == "" {
			c = now
		}
		if c.Violation != nil || !slices.ContainsFunc(b.args, func(a reflect.Value) bool { return a.Kind() == reflect.Bool }) {
			break
		}
	}
	return c
}

// explore searches the executions of a body.
func (c *Report) explore(ctx context.Context, b *body, moved func()) error {
	x := newChecker(b, moved)
	alone, err := x.choose()
	if err != nil {
		return err
	}
	c.Call = x.call()
	if err := x.prepare(); err != nil {
		return err
	}
	if err := x.explore(ctx, c); err != nil || c.Violation != nil || c.Reason != "" {
		return err
	}
	c.Reason = x.reason(c, alone)
	return nil
}

const notExercised = "not exercised: "

// reason says why an exploration without a violation is not one of the method, or returns "". The method
// alone returns, or alone says why not.
func (x *checker) reason(c *Report, alone string) string {
	exercised := x.twice || slices.ContainsFunc(x.returns, x.exercised)
	switch {
	case x.unfit != "" && alone == "":
		return notExercised + "with each value of the environment, it panics: " + strings.TrimPrefix(x.unfit, "panic: ")
	case exercised && c.Undecided > 0:
		return fmt.Sprintf("%d of %d executions could not be judged: they differ when they are repeated, for instance by what a global variable refers to", c.Undecided, c.Executions)
	case exercised && c.Ops == 0:
		return fmt.Sprintf("%d executions are not all of those with one operation of the environment and one preemption", c.Executions)
	case exercised:
		return ""
	case alone != "":
		return notExercised + "" + alone
	}
	reason := notExercised + "in no execution did it return after a second operation"
	if why := cmp.Or(x.panics, x.blocked); why != "" {
		reason += "; " + why
	}
	return reason
}

// choose sets the first maker whose receiver serves: the method alone returns. It returns why the
// method does not, or "".
func (x *checker) choose() (alone string, err error) {
	makers := len(x.Makers) + 1
	if x.Receiver == "" {
		makers = 1
	}
	for x.maker = range makers {
		program := &schedule.Program{Before: x.before, Threads: []func(){x.method}, After: func() {}}
		r := schedule.Run(program, schedule.NewReplay(nil), schedule.Limits{})
		text := x.panicked
		switch {
		case x.failure != nil:
			if x.maker == makers-1 && alone == "" {
				return "", x.failure
			}
			continue
		case r.Panic != nil:
			text = explore.PanicText(r.Panic)
		case r.Deadlock && len(r.Blocked) > 0:
			text = waitText(r)
		case r.Cut:
			text = "it does not end in 5,000 steps"
		}
		if text == "" {
			return "", nil
		}
		if alone == "" {
			alone = "alone, " + strings.Replace(text, "panic:", "it panics:", 1)
		}
	}
	x.maker = 0
	return alone, nil
}

// waitText says where the first thread waits.
func waitText(r *schedule.Result) string {
	b := &r.Blocked[0]
	if b.Spins {
		return "it spins at " + b.Where()
	}
	return "it waits for " + b.What + " at " + b.Where()
}

// prepare chooses what the environment does, after one more run of the method alone.
func (x *checker) prepare() (err error) {
	program := &schedule.Program{Before: x.before, Threads: []func(){func() {}}, After: func() {}}
	schedule.Run(program, schedule.NewReplay(nil), schedule.Limits{})
	var before []string
	keys, _ := x.entries()
	for _, k := range keys {
		before = append(before, valueText(x.value(k)))
	}
	program.Threads[0] = x.method
	schedule.Run(program, schedule.NewReplay(nil), schedule.Limits{})
	if _, panicked := protect(func() []reflect.Value { x.fill(before); return nil }); panicked != "" {
		return fmt.Errorf("its collection cannot be reached: %s", panicked)
	}
	if len(x.alphabet) == 0 {
		return errors.New("the environment has no values for its collection")
	}
	x.expect()
	return nil
}
