package codec

import (
	"embed"
	"io"
	"iter"
	"regexp"
	"slices"

	"github.com/leadline/leadline/history"
)

// The formats of operations of porcupine. There may be a file for each client.
const (
	etcdReportName = "etcd-report"
	porcupineName  = "porcupine"
)

// Presets are mappings for records of known tools.
//
//go:embed presets/*.map
var presets embed.FS

// preset returns the format whose mapping is presets/NAME.map.
func preset(name, description string, sniff func(head []byte) Guess) Format {
	return Format{
		Name: name, Description: description, Single: true,
		Decode: func(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
			m, err := parsePreset(name)
			if err != nil {
				panic("codec: " + err.Error())
			}
			return decodeMapped(m)(r, file, lim)
		},
		Sniff: sniff,
	}
}

var inputKey = regexp.MustCompile(`"Input"\s*:\s*`)

// sniffOperation guesses whether the first object is an operation of porcupine, whose Input is
// a request to etcd or not.
func sniffOperation(head []byte, isEtcd bool) Guess {
	guess := sniffKeys("ClientId", "Input", "Call")(head)
	at := inputKey.FindIndex(head)
	if guess != Yes || at == nil {
		return guess
	}
	switch keys, settled := firstKeys(head[at[1]:]); {
	case slices.Contains(keys, "Type"):
		return map[bool]Guess{true: Yes, false: No}[isEtcd]
	case !settled:
		return Maybe
	case isEtcd:
		return No
	}
	return Yes
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
