package codec

import (
	"fmt"
	"strconv"

	"github.com/leadline/leadline/history"
)

// A pairing finds which operation a response ends, and gives operations identifiers that
// differ. Clients may use the identifiers of others, and their own ones again.
type pairing struct {
	open map[valueKey][]openOperation // by identifier, or by process if there is none
	next int64
}

type openOperation struct{ process, id history.Value }

// A valueKey is an integer or a string as a key of a map.
type valueKey struct {
	text   string
	number int64
	isText bool
}

func keyOf(v history.Value) valueKey {
	return valueKey{v.Text(), v.Int(), v.Kind() == history.String}
}

// identify replaces the identifier of an event, or returns a fault. Events come in their
// order. An event need not have an identifier if its process has one operation at a time.
func (p *pairing) identify(b *history.Builder, ev *history.Event) (fault string) {
	if p.open == nil {
		p.open = map[valueKey][]openOperation{}
	}
	given := ev.Op.Kind() != history.None
	key := keyOf(ev.Op)
	if !given {
		key = keyOf(ev.Process)
	}
	if ev.Type == history.Invoke {
		if ev.Op = unusedID(b, ev.Op); !given {
			ev.Op = history.IntValue(p.next)
			p.next++
		}
		if !given && len(p.open[key]) > 0 {
			return fmt.Sprintf("process %v invokes an operation while its last one is still open; give op if it has several", ev.Process)
		}
		p.open[key] = append(p.open[key], openOperation{ev.Process, ev.Op})
		return ""
	}
	candidates := p.open[key]
	for i, o := range candidates {
		if ev.Process.Kind() == history.None || o.process.Equal(ev.Process) {
			ev.Op = o.id
			if p.open[key] = append(candidates[:i], candidates[i+1:]...); len(p.open[key]) == 0 {
				delete(p.open, key)
			}
			return ""
		}
	}
	if !given {
		return fmt.Sprintf("response of process %v, which has no open operation", ev.Process)
	}
	return "" // the Builder reports it
}

// unusedID returns the identifier, or one with a number if an operation has it already.
func unusedID(b *history.Builder, id history.Value) history.Value {
	text := id.Text()
	if id.Kind() == history.Int {
		text = strconv.FormatInt(id.Int(), 10)
	}
	first := id
	for n := 2; ; n++ {
		if op, _ := b.Invoked(id); op == nil || first.Kind() == history.None {
			return id
		}
		id = history.StringValue(text + "#" + strconv.Itoa(n))
	}
}
