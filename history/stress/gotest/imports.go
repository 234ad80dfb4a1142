package gotest

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history/stress/values"
)

// Imports are the imports of a Go file that is being written.
type Imports struct {
	// Own is the import path of the file's own package, whose names have no qualifier.
	Own string
	// Known has the names of packages that may differ from the end of their import paths.
	Known map[string]string
	// Taken are names that the file has for something else.
	Taken []string
	names map[string]string
	lines []string
}

var (
	version  = regexp.MustCompile(`^v\d+$`)
	notWord  = regexp.MustCompile(`\W`)
	variable = regexp.MustCompile(`^[a-z]\d+$`)
)

// Name returns the name by which the file calls a package, and imports it.
func (m *Imports) Name(importPath string) string {
	if name, ok := m.names[importPath]; ok {
		return name
	}
	name, known := m.Known[importPath]
	if !known {
		if name = path.Base(importPath); version.MatchString(name) {
			name = path.Base(path.Dir(importPath))
		}
	}
	name = notWord.ReplaceAllString(name, "_")
	for slices.Contains(m.Taken, name) || variable.MatchString(name) || slices.Contains(slices.Collect(maps.Values(m.names)), name) {
		name += "x"
	}
	if m.names == nil {
		m.names = map[string]string{}
	}
	m.names[importPath] = name
	line := strconv.Quote(importPath)
	if name != path.Base(importPath) {
		line = name + " " + line
	}
	m.lines = append(m.lines, line)
	return name
}

// Resolve replaces the import paths between marks of package values by names.
func (m *Imports) Resolve(text string) string {
	parts := strings.Split(text, values.Mark)
	for i := 1; i < len(parts); i += 2 {
		if parts[i] == m.Own && i+1 < len(parts) {
			parts[i], parts[i+1] = "", strings.TrimPrefix(parts[i+1], ".")
			continue
		}
		parts[i] = m.Name(parts[i])
	}
	return strings.Join(parts, "")
}

// String returns the declaration of the imports, those of the standard library first.
func (m *Imports) String() string {
	var own, others []string
	for _, line := range m.lines {
		first, _, _ := strings.Cut(line[strings.Index(line, `"`):], "/")
		if strings.Contains(first, ".") {
			others = append(others, line)
		} else {
			own = append(own, line)
		}
	}
	return "import (\n" + strings.Join(own, "\n") + "\n\n" + strings.Join(others, "\n") + "\n)\n"
}

// Quote writes a string in Go, if possible without escapes.
func Quote(s string) string {
	if strings.Contains(s, `"`) && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}
