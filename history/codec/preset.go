package codec

import (
	"embed"
	"io"
	"iter"
	"slices"

	"github.com/leadline/leadline/history"
)

// etcdReportName is the format of a file of which there is one for each client.
const etcdReportName = "etcd-report"

// Presets are mappings for records of known tools.
//
//go:embed presets/*.map
var presets embed.FS

// preset returns the format whose mapping is presets/NAME.map, for objects with all of the
// keys.
func preset(name, description string, keys ...string) Format {
	return Format{
		Name: name, Description: description, Single: true,
		Decode: func(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
			m, err := parsePreset(name)
			if err != nil {
				panic("codec: " + err.Error())
			}
			return decodeMapped(m)(r, file, lim)
		},
		Sniff: sniffKeys(keys...),
	}
}

// parsePreset returns the mapping of a preset. Its fields are of one stream, so it is not shared.
func parsePreset(name string) (*mapping, error) {
	text, err := presets.ReadFile("presets/" + name + ".map")
	if err != nil {
		return nil, err
	}
	m, err := parseMapping(string(text))
	if err == nil {
		m.isPreset = true
		// Records of one kind need not have what others have.
		m.paths = slices.DeleteFunc(m.paths, func(p fieldPath) bool { return len(p.members) > 0 })
	}
	return m, err
}
