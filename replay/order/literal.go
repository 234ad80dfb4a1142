package order

// A variable is a number from 0 on.
type variable int32

// A literal is a variable or its negation: 2v or 2v+1.
type literal int32

// always and never are literals without a variable.
const (
	always literal = -2
	never  literal = -1 // always.not()
)

func (v variable) literal() literal  { return literal(2 * v) }
func (l literal) not() literal       { return l ^ 1 }
func (l literal) variable() variable { return variable(l >> 1) }
func (l literal) isNegated() bool    { return l&1 != 0 }
