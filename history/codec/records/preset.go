package records

import (
	_ "embed"
	"slices"
	"sync"

	"github.com/leadline/leadline/history/codec/decode"
)

//go:embed presets/s2.map
var s2 string

// S2 has S2's records of starts and finishes, by a mapping.
var S2 = decode.Format{
	Name: "s2", Description: "S2's records of starts and finishes, in JSON", Single: true,
	Sniff: decode.SniffKeys("event", "client_id", "op_id"),
	Open: func(s *decode.Stream) decode.Reader {
		return s2Mapping().open(s)
	},
}

var s2Mapping = sync.OnceValue(func() *mapping {
	m, err := parseMapping(s2)
	if err != nil {
		panic("records: " + err.Error())
	}
	m.isPreset = true
	// Records of one kind need not have what others have.
	m.paths = slices.DeleteFunc(m.paths, func(p fieldPath) bool { return len(p.members) > 0 })
	return m
})

// Format returns the format of records that a mapping describes.
func Format(text string) (decode.Format, error) {
	m, err := parseMapping(text)
	return decode.Format{Name: "records", Single: true, Open: func(s *decode.Stream) decode.Reader { return m.open(s) }}, err
}
