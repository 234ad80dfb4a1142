package codec

import "strings"

// A field is a key of the native format, as a bit: 1<<n is the field that
// fieldNames has at n.
type field uint32

const (
	fieldLeadline field = 2 << iota
	fieldHistory
	fieldModel
	fieldArgs
	fieldTie
	fieldOrder
	fieldInterleaved
	fieldTorn
	fieldType
	fieldProcess
	fieldOp
	fieldMethod
	fieldResult
	fieldException
	fieldUnknown
	fieldAt
	fieldEdge
	fieldMark
	fieldEnd
)

// fieldNames has no field at 0.
var fieldNames = [...]string{
	"", "leadline", "history", "model", "args", "tie", "order", "interleaved", "torn", "type", "process", "op",
	"method", "result", "exception", "unknown", "at", "edge", "mark", "end",
}

// quotedNames are the names as they stand before a value; at 0 there is what
// no line has.
var quotedNames = func() (quoted [len(fieldNames)]string) {
	for i, name := range fieldNames {
		quoted[i] = `"` + name + `":`
	}
	quoted[0] = "\x00"
	return quoted
}()

// fieldNumber returns the number of the field called key, 0 if there is none.
func fieldNumber(key []byte) int {
	for i, name := range fieldNames {
		if name == string(key) {
			return i
		}
	}
	return 0
}

// names lists the fields in f.
func (f field) names() string {
	var names []string
	for i, name := range fieldNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

const (
	headerFields = fieldLeadline | fieldHistory | fieldModel | fieldArgs | fieldTie | fieldOrder | fieldInterleaved | fieldTorn
	eventFields  = fieldType | fieldHistory | fieldProcess | fieldOp | fieldMethod | fieldArgs |
		fieldResult | fieldException | fieldUnknown | fieldAt
	edgeFields = fieldEdge | fieldHistory
	markFields = fieldMark | fieldHistory | fieldOp
	endFields  = fieldEnd
	allFields  = headerFields | eventFields | edgeFields | markFields | endFields
)
