package trial

import (
	"maps"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// cells are the cells of a replay.Stepped, according to the steps of its operations.
type cells struct {
	spec    replay.Stepped
	isSet   bool
	content map[string]cell // by key, once used
	isLost  bool            // nothing is known any more
}

// A cell has a value unless it is not known.
type cell struct {
	value   history.Value
	isKnown bool
}

func newCells(x *tester) cells {
	return cells{spec: x.stepped, isSet: x.traits.Discipline == replay.Named, content: map[string]cell{}}
}

func (c cells) get(key history.Value) (string, cell) {
	k := string(key.AppendKey(nil))
	at, ok := c.content[k]
	switch {
	case ok:
		return k, at
	case c.isSet:
		return k, cell{history.ListValue(), true}
	}
	return k, cell{c.spec.FirstValue(key), true}
}

// equal reports whether the cells that are known in both have the same values.
func (c cells) equal(d cells) bool {
	for k, a := range c.content {
		if b, ok := d.content[k]; ok && a.isKnown && b.isKnown && !a.value.Equal(b.value) {
			return false
		}
	}
	return true
}

// after performs steps. The answer is possible only if the steps say everything.
func (c cells) after(steps []replay.CellStep) (cells, answer) {
	c.content = maps.Clone(c.content)
	says := possible
	if c.isLost {
		return c, unknown
	}
	for _, s := range steps {
		k, at := c.get(s.Key)
		isAll := s.Key.Kind() == history.None && !c.isSet
		switch {
		case s.Kind == replay.CellTest:
			says = unknown
			continue
		case s.Kind == replay.CellOther && isAll:
			c.isLost = true
			return c, unknown
		case s.Kind == replay.CellRead && at.isKnown && !at.value.Equal(s.Value), s.Kind == replay.CellDiffers && at.isKnown && at.value.Equal(s.Value):
			return c, impossible
		case s.Kind == replay.CellRead:
			at, says = cell{s.Value, true}, weaker(says, at)
		case s.Kind == replay.CellDiffers:
			says = weaker(says, at)
		case s.Kind == replay.CellWrite:
			at = cell{s.Value, true}
		case s.Kind == replay.CellOther:
			at.isKnown, says = false, unknown
		default:
			if at, says = c.appended(k, at, s, says); says == impossible {
				return c, says
			}
		}
		c.content[k] = at
	}
	return c, says
}

func weaker(says answer, at cell) answer {
	if !at.isKnown {
		return unknown
	}
	return says
}

// appended returns a cell after an append, and the answer. Only a value that was never
// written counts as an empty string, and a set may have had the value.
func (c cells) appended(k string, at cell, s replay.CellStep, says answer) (cell, answer) {
	_, isUsed := c.content[k]
	list := slices.Clone(at.value.List())
	switch isText := at.value.Kind() == history.String; {
	case !at.isKnown, s.Kind == replay.CellConcat && !isText && isUsed:
		return cell{}, unknown
	case s.Kind == replay.CellConcat:
		return cell{history.StringValue(at.value.Text() + s.Value.Text()), true}, says
	case at.value.Kind() != history.List && at.value.Kind() != history.Null:
		return at, impossible
	case !c.isSet:
		return cell{history.ListValue(append(list, s.Value)...), true}, says
	}
	i, found := slices.BinarySearchFunc(list, s.Value, history.Value.Compare)
	if found {
		return at, unknown
	}
	return cell{history.ListValue(slices.Insert(list, i, s.Value)...), true}, says
}
