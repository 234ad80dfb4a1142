package stress

import "github.com/leadline/leadline/history/stress/values"

// A Param is the kind of a method's parameter; see package values.
type Param = *values.Kind

// The parameters of methods that are not derived from a Go type.
var (
	Int   = values.Int
	Text  = values.Text
	Bool  = values.Bool
	List  = values.List
	Texts = values.Texts
	Map   = values.Map
	Any   = values.Any
)
