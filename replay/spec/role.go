package spec

import (
	"sync"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A container is what replay.Collection asks of a specification: its
// discipline, and the roles of its methods by the first of their names.
type container struct {
	discipline replay.Discipline
	roles      map[string]replay.Role
}

// containers are the specifications that are collections. Methods that are
// not named have the role Other, or Nothing where they find that the
// collection is empty.
var containers = map[string]container{
	"queue": {replay.FirstIn, map[string]replay.Role{
		"enqueue": replay.Insert, "offer": replay.Insert, "put": replay.Insert,
		"dequeue": replay.Remove, "take": replay.Remove, "peek": replay.Look}},
	"stack": {replay.LastIn, map[string]replay.Role{
		"push": replay.Insert, "pop": replay.Remove, "peek": replay.Look}},
	"priority-queue": {replay.Smallest, map[string]replay.Role{
		"insert": replay.Insert, "poll": replay.Remove, "peek": replay.Look}},
	"deque": {replay.BothEnds, map[string]replay.Role{
		"pushBack": replay.Insert, "popBack": replay.Remove, "peekBack": replay.Look,
		"pushFront": replay.InsertFront, "popFront": replay.RemoveFront, "peekFront": replay.LookFront}},
	"set": {replay.Named, map[string]replay.Role{
		"add": replay.Insert, "remove": replay.Remove, "contains": replay.Look}},
	"multiset": {replay.Counted, map[string]replay.Role{
		"add": replay.Insert, "remove": replay.Remove, "contains": replay.Look, "count": replay.Look}},
	"register": {replay.Overwritten, map[string]replay.Role{
		"write": replay.Insert, "read": replay.Look}},
	"kv": {replay.OverwrittenByKey, map[string]replay.Role{
		"put": replay.Insert, "get": replay.Look}},
}

// A roleTable is a container with the roles of its methods by their places in
// the table of methods. Roles are asked for once per operation, so that they
// are not looked up by name each time.
type roleTable struct {
	once sync.Once
	container
	byPlace []replay.Role
}

func (t *signatures) rolesIn(spec string) *roleTable {
	t.roles.once.Do(func() {
		t.roles.container = containers[spec]
		for i := range t.list {
			t.roles.byPlace = append(t.roles.byPlace, t.roles.container.roles[t.list[i].names[0]])
		}
	})
	return &t.roles
}

// Discipline says which monitor decides histories; see replay.Collection.
func (s *specification[S]) Discipline() replay.Discipline {
	c := containers[s.name]
	switch {
	case c.discipline == replay.FirstIn && len(s.args) > 0: // bounded
		return replay.NoDiscipline
	case c.discipline == replay.Smallest && len(s.args) > 0 && s.args[0].Text() == "max":
		return replay.Largest
	}
	return c.discipline
}

// Role says what op does; see replay.Collection. Null is never told from
// nothing, so that a collection that holds it is left to the search.
func (s *specification[S]) Role(op *history.Operation) (replay.Role, history.Value) {
	i := s.table.find(op.Method, len(op.Args))
	if i < 0 {
		return replay.Other, history.Value{}
	}
	signature := &s.table.list[i]
	table := s.table.rolesIn(s.name)
	role := table.byPlace[i]
	if op.Result.Kind() == history.Exception {
		return replay.Never, history.Value{} // none of these throws any
	}
	switch {
	case role == replay.Other:
		return emptyRole(signature.names[0], op), history.Value{}
	case table.discipline == replay.Named || table.discipline == replay.Counted:
		return namedRole(role, op)
	case role == replay.Insert || role == replay.InsertFront:
		return s.insertRole(role, op)
	}
	return s.takeRole(role, signature.names[0], op)
}

// emptyRole is that of methods that say how much there is.
func emptyRole(name string, op *history.Operation) replay.Role {
	looks := name == "size" || name == "isEmpty"
	switch {
	case looks && op.Pending():
		return replay.Idle
	case name == "size" && op.Result.Kind() == history.Int && op.Result.Int() == 0,
		name == "isEmpty" && op.Result.Bool():
		return replay.Nothing
	}
	return replay.Other
}

// namedRole is that of the methods of a set or multiset.
func namedRole(role replay.Role, op *history.Operation) (replay.Role, history.Value) {
	v := op.Args[0]
	switch {
	case op.Pending() && role == replay.Look:
		return replay.Idle, v
	case op.Pending():
		return role, v
	case op.Result.Kind() == history.None: // a multiset's add
		return role, v
	case op.Result.Kind() == history.Int:
		return countRole(op.Result.Int()), v
	case op.Result.Kind() != history.Bool:
		return replay.Other, v
	case op.Result.Bool():
		return role, v
	case role == replay.Insert: // was there before
		return replay.Look, v
	}
	return replay.Absent, v
}

// countRole is that of a multiset's count.
func countRole(n int64) replay.Role {
	switch {
	case n == 0:
		return replay.Absent
	case n == 1:
		return replay.Look
	}
	return replay.Never // as long as values are distinct
}

// insertRole is that of the methods that always insert their last argument.
func (s *specification[S]) insertRole(role replay.Role, op *history.Operation) (replay.Role, history.Value) {
	v := op.Args[len(op.Args)-1]
	switch {
	case v.Kind() == history.Null:
		return replay.Other, v
	case op.Result.Kind() == history.Bool && !op.Result.Bool(): // there is always room
		return replay.Never, v
	case s.overwritten() && v.Equal(s.initial()):
		return replay.Other, v
	}
	return role, v
}

// takeRole is that of the methods that answer a value or that there is none.
func (s *specification[S]) takeRole(role replay.Role, name string, op *history.Operation) (replay.Role, history.Value) {
	v := op.Result
	looks := role == replay.Look || role == replay.LookFront
	switch {
	case op.Pending() && looks:
		return replay.Idle, history.Value{}
	case op.Pending():
		return role, history.UnknownValue
	case v.Kind() == history.Unknown:
		return replay.Other, history.Value{}
	case s.overwritten():
		if v.Equal(s.initial()) {
			return replay.Nothing, v
		}
		return role, v
	case v.Kind() == history.Null && name == "take": // waits for a value
		return replay.Never, v
	case v.Kind() == history.Null:
		return replay.Nothing, v
	}
	return role, v
}

// overwritten reports whether insertions replace what was there.
func (s *specification[S]) overwritten() bool { return s.name == "register" || s.name == "kv" }

// initial is what a register, or a key, is found to hold before the first write.
func (s *specification[S]) initial() value {
	if len(s.args) > 0 {
		return s.args[0]
	}
	return history.NullValue
}
