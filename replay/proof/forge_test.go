package proof

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/decide"
)

// Forge returns certificates of a history, as good as they can be: up to each event, for no key or
// value, each single one or all, with as few operations as the rules seem to allow or all that they
// let stay, of those whose operations have no linearization.
func Forge(history []byte) (certificates [][]byte) {
	rec, err := read(history)
	if err != nil {
		return nil
	}
	c := &certificate{claim: claim{Certificate: 1, History: rec.id, SHA256: sum(history), Model: rec.model, Args: rec.args, Of: rec.events}}
	if c.open() != nil {
		return nil
	}
	for c.Until = 1; c.Until <= rec.events; c.Until++ {
		all, err := c.cut(rec)
		if err != nil {
			return nil
		}
		lists := []*state{nil, {}}
		for i := range all {
			for _, v := range c.model.facts(&all[i]).about {
				lists = append(lists, &state{v})
			}
		}
		for _, c.Only = range lists {
			for _, drop := range []func(*operation) bool{
				func(o *operation) bool { return c.mayLeave(o) },
				func(o *operation) bool { return c.mayLeave(o) && !c.model.facts(o).reads },
				func(o *operation) bool { return c.Only != nil && !c.mayKeep(o) },
			} {
				c.ops, c.edges, c.set = nil, nil, nil
				for _, o := range all {
					if p := c.project(o); p != nil && !drop(p) {
						c.ops = append(c.ops, *p)
					}
				}
				c.addEdges(rec, all)
				if err := c.connect(); err != nil {
					return nil
				}
				if c.set, err = c.reachable(); err == nil {
					certificates = append(certificates, c.text())
				}
			}
		}
	}
	return certificates
}

// Mutate changes a certificate in one or two places.
func Mutate(r *rand.Rand, certificate []byte) []byte {
	lines := strings.Split(strings.TrimSpace(string(certificate)), "\n")
	for range 1 + r.IntN(2) {
		i := r.IntN(len(lines))
		switch r.IntN(6) {
		case 0: // a line less
			if len(lines) > 1 {
				lines = slices.Delete(lines, i, i+1)
			}
		case 1: // a line twice, elsewhere
			lines = slices.Insert(lines, r.IntN(len(lines)+1), lines[i])
		case 2: // part of another line
			k := r.IntN(len(lines))
			a, b := strings.LastIndexByte(lines[i], ','), strings.LastIndexByte(lines[k], ',')
			if a > 0 && b > 0 {
				lines[i] = lines[i][:a] + lines[k][b:]
			}
		default: // another digit, or another word
			places := []int{}
			for at, c := range lines[i] {
				if c >= '0' && c <= '9' {
					places = append(places, at)
				}
			}
			if len(places) == 0 {
				continue
			}
			at := places[r.IntN(len(places))]
			lines[i] = lines[i][:at] + string(rune('0'+r.IntN(8))) + lines[i][at+1:]
			if r.IntN(4) == 0 {
				lines[i] = strings.Replace(lines[i], "true", "false", 1)
			}
		}
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// TestSideConditions: for each rule, the smallest history found that is linearizable, and would not be if
// the rule had no side condition. The operations that are kept have no linearization.
func TestSideConditions(t *testing.T) {
	for _, c := range []struct {
		name, model, events string // A1:write:1 invokes, A=null returns, ! marks, A>B is an edge
		keep                []int
		only                string // in JSON, or ""
		until               int
		edges               [][2]int
		want                string
	}{
		{"time: a response that is later", "register", "A:write:1 B:read B=1 A=", []int{1}, "", 3, nil, "operation 0, write, may matter"},
		{"time: what happened may happen later", "mutex", "A:lock A= B:lock C:unlock C= B!", []int{0, 1}, "", 3, nil, "operation 1 is another one"},
		{"reads: a write", "register", "A:write:1 A= B:read B=1", []int{1}, "", 4, nil, "operation 0, write, may matter"},
		{"reads: a cas that succeeded", "cas-register:0", "A:cas:0:1 A=true B:read B=1", []int{1}, "", 4, nil, "operation 0, cas, may matter"},
		{"about: a cas from what is kept", "cas-register:0", "A:cas:0:1 A=true B:read B=1", []int{1}, "[1]", 4, nil, "operation 0, cas, may matter"},
		{"apart: a cas that failed", "cas-register:0", "A:write:1 A= B:cas:0:2 B=false", []int{1}, "[0,2]", 4, nil, "operation 1, cas, may depend on what was left out"},
		{"apart: a size", "queue", "A:enqueue:1 A= B:size B=1", []int{1}, "[]", 4, nil, "operation 1, size, may depend on what was left out"},
		{"apart: no room", "queue:1", "A:enqueue:1 A=true B:enqueue:2 B=false", []int{1}, "[2]", 4, nil, "may depend on what was left out"},
		{"apart: perhaps no room", "queue:1", "A:enqueue:1 A=true B:enqueue:2 B? C:dequeue C=1 D:dequeue D=null", []int{1, 3}, "[2]", 8, nil, "may depend on what was left out"},
		{"apart: a removal of something", "queue", "A:enqueue:1 A= B:enqueue:2 B= C:dequeue C? D:dequeue D=2", []int{1, 2, 3}, "[2]", 8, nil, "may depend on what was left out"},
		{"about: another value", "stack", "A:push:1 A= B:pop B=1", []int{1}, "[2]", 4, nil, "may depend on what was left out"},
		{"keys: all of a map", "kv", "A:put:1:1 A= B:size B=1", []int{1}, "[2]", 4, nil, "may depend on what was left out"},
		{"keys: clear", "kv", "A:put:1:1 A= B:clear B= C:get:1 C=null", []int{0, 2}, "[1]", 6, nil, "operation 1, clear, may matter"},
		{"elements: not projected", "set", "A:add:1 A=true B:elements B=[1]", []int{1}, "", 4, nil, "operation 0, add, may matter"},
		{"reads: a remove that found false", "kv", "A:put:1:false A= B:remove:1 B=false C:get:1 C=null", []int{0, 2}, "", 6, nil, "operation 1, remove, may matter"},
		{"apart: a pending removal before another operation", "queue", "A:enqueue:1 A= B:take C:isEmpty C=true B=1 B>C", []int{1, 2}, "[]", 5, [][2]int{{0, 1}}, "operation 1, take, may depend"},
		{"edges: not in the history", "register", "A:write:1 B:read A= B=null", []int{0, 1}, "", 4, [][2]int{{0, 1}}, "does not have to come before"},
		{"edges: the other way round", "register", "A:write:1 B:read A= B=null B>A", []int{0, 1}, "", 4, [][2]int{{0, 1}}, "does not have to come before"},
	} {
		text := shortHistory(c.model, c.events)
		rec, err := read([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, text)
		}
		cert := &certificate{claim: claim{Certificate: 1, SHA256: sum([]byte(text)), Model: rec.model, Args: rec.args, Until: c.until, Of: rec.events}}
		if c.only != "" {
			list, _ := value(c.only).list()
			list = append(state{}, list...)
			cert.Only = &list
		}
		if err := cert.open(); err != nil {
			t.Fatal(err)
		}
		all, err := cert.cut(rec)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range c.keep {
			o := *cert.project(all[i])
			if strings.Contains(c.want, "is another one") {
				o.Happened = o.Return == 0
			}
			cert.ops = append(cert.ops, o)
		}
		if cert.edges = c.edges; cert.connect() != nil {
			t.Fatal(c.edges)
		}
		if cert.set, err = cert.reachable(); err != nil {
			t.Errorf("%s: the operations that are kept do not fail: %v", c.name, err)
		}
		if _, err := Verify(cert.text(), []byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s\n%s%s", c.name, err, c.want, text, cert.text())
		}
		if _, err := Make([]byte(text), Hint{Core: c.keep, Until: c.until}); err == nil {
			t.Errorf("%s: the history has a certificate", c.name)
		}
		if v := decided(t, text); v != replay.Linearizable {
			t.Errorf("%s: %v", c.name, v)
		}
	}
}

// shortHistory returns a history in leadline's own format; see TestSideConditions.
func shortHistory(model, events string) string {
	name, arg, _ := strings.Cut(model, ":")
	if arg != "" {
		arg = fmt.Sprintf(`,"args":[%s]`, arg)
	}
	text := fmt.Sprintf("{\"leadline\":1,\"model\":%q%s}\n", name, arg)
	for _, e := range strings.Fields(events) {
		id := e[:1]
		event := func(format string, args ...any) {
			text += fmt.Sprintf(`{"process":%q,"op":%q,`, id, id) + fmt.Sprintf(format, args...) + "}\n"
		}
		switch rest := e[2:]; e[1] {
		case ':':
			words := strings.Split(rest, ":")
			event(`"type":"invoke","method":%q,"args":[%s]`, words[0], strings.Join(words[1:], ","))
		case '=':
			if rest != "" {
				rest = `,"result":` + rest
			}
			event(`"type":"ok"%s`, rest)
		case '?':
			event(`"type":"ok","unknown":true`)
		case '!':
			text += fmt.Sprintf("{\"mark\":\"happened\",\"op\":%q}\n", id)
		case '>':
			text += fmt.Sprintf("{\"edge\":[%q,%q]}\n", id, rest)
		}
	}
	return text
}

// decided returns leadline's verdict.
func decided(t *testing.T, text string) replay.Answer {
	for h, err := range codec.Decode(strings.NewReader(text), "text", codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		s, err := batch.ModelOf(h, "")
		if err != nil {
			t.Fatal(err)
		}
		v, err := decide.Check(context.Background(), h, s, replay.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return v.Answer
	}
	return replay.Undecided
}

// TestSame: linearizable histories that another reading of them would refute.
func TestSame(t *testing.T) {
	for _, text := range []string{
		shortHistory("register", "A:write:1 A=null B:read B=1"),
		shortHistory("multi-register", `A:txn:[["read",1,null]] A=[["read",1,[]]] B:txn:[["read",1,null]] B=[["read",1,null]]`),
		shortHistory("multi-register:[]", `A:txn:[["read",1,null]] A=[["read",1,null]]`),
		shortHistory("Register", "A:write:1 A= B:read B=1"),
		strings.ReplaceAll(shortHistory("register", "A:write:1 A= B:read B?"), `"unknown":`, "\"unknown\"\r :"),
	} {
		if v := decided(t, text); v != replay.Linearizable {
			t.Errorf("%v\n%s", v, text)
		}
		if c, err := Make([]byte(text), Hint{Core: []int{0, 1}}); err == nil {
			t.Errorf("a certificate:\n%s%s", text, c)
		}
		for _, c := range Forge([]byte(text)) {
			if _, err := Verify(c, []byte(text)); err == nil {
				t.Fatalf("accepted:\n%s%s", text, c)
			}
		}
	}
	for _, text := range []string{`{"leadline":1}}`, `{"leadline":1,"leadline":1}`, `{"Leadline":1}`, `{"le\u0061dline":1}`, `{"leadline":1,"x":1}`, `[1]`, `{"leadline":1} {}`} {
		if names, err := decode([]byte(text), new(line)); err == nil {
			t.Errorf("%s: %v", text, names)
		}
	}
}

func TestCompare(t *testing.T) {
	sorted := state{"-3", "0", "10", `""`, `"9"`, `"a"`, `"é"`}
	for i, a := range sorted {
		for k, b := range sorted {
			if got := compare(a, b); got < 0 != (i < k) || got > 0 != (i > k) {
				t.Errorf("compare(%s, %s) = %d", a, b, got)
			}
		}
	}
}

// TestLimits: the last certificate that a limit allows, and the first that it does not.
func TestLimits(t *testing.T) {
	concurrent := func(n int, edge bool) string { // increments, and then a read that none explains
		var b strings.Builder
		b.WriteString("{\"leadline\":1,\"model\":\"counter\"}\n")
		for i := range n {
			fmt.Fprintf(&b, `{"process":%d,"op":%[1]d,"type":"invoke","method":"inc"}`+"\n", i)
			if edge {
				fmt.Fprintf(&b, `{"process":%d,"op":%[1]d,"type":"ok"}`+"\n", i)
			}
		}
		for i := range n {
			if !edge {
				fmt.Fprintf(&b, `{"process":%d,"op":%[1]d,"type":"ok"}`+"\n", i)
			}
		}
		b.WriteString(`{"process":"r","op":"r","type":"invoke","method":"get"}` + "\n" + `{"process":"r","op":"r","type":"ok","result":-1}` + "\n")
		if edge {
			b.WriteString(`{"edge":[0,1]}` + "\n")
		}
		return b.String()
	}
	for _, c := range []struct {
		text string
		n    int // of operations
		want string
	}{
		{concurrent(mostWithEdges-1, true), mostWithEdges, ""},
		{concurrent(mostWithEdges, true), mostWithEdges + 1, "more than 128 operations, with edges"},
		{concurrent(14, false), 15, ""},
		{concurrent(17, false), 18, "configurations of 18 operations"},
	} {
		certificate, err := Make([]byte(c.text), Hint{Core: []int{c.n - 1}})
		if c.want == "" {
			if err == nil {
				_, err = Verify(certificate, []byte(c.text))
			}
			if err != nil {
				t.Errorf("%d operations: %v", c.n, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d operations: %v, want %s", c.n, err, c.want)
		}
	}
}
