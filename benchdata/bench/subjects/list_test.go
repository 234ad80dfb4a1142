package subjects_test

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/stress"
)

// An object is a line of subjects.txt, which has the flags of leadline stress for it:
//
//	--name queue --new example.com/queue.New[int](8) --core Put,Get --read-only Len
type object struct {
	Name        string
	Constructor string // example.com/queue.New[int](8)
	Reflect     stress.ReflectOptions
}

// readList reads a list. Empty lines and those that begin with # do not count. Errors begin
// with file:line.
func readList(file string) ([]object, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []object
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		o, err := parseFlags(words)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
		all = append(all, o)
	}
	return all, nil
}

func parseFlags(words []string) (o object, err error) {
	for i := 0; i < len(words); i += 2 {
		if i+1 == len(words) {
			return o, fmt.Errorf("%s has no value", words[i])
		}
		value, list := words[i+1], strings.Split(words[i+1], ",")
		if strings.ContainsAny(value, `'"\`) {
			return o, fmt.Errorf("%s is quoted", value)
		}
		switch words[i] {
		case "--name":
			o.Name, o.Reflect.Name = value, value
		case "--new":
			o.Constructor = value
		case "--core":
			o.Reflect.Core = list
		case "--read-only":
			o.Reflect.ReadOnly = list
		case "--weak":
			o.Reflect.Weak = list
		case "--exclude":
			o.Reflect.Exclude = list
		case "--values":
			if _, err := strconv.Atoi(value); err != nil {
				return o, fmt.Errorf("--values: %w", err)
			}
		default:
			return o, errors.New("unknown flag " + words[i])
		}
	}
	if o.Name == "" || o.Constructor == "" {
		return o, errors.New("--name or --new is missing")
	}
	return o, nil
}

// Errors name the line.
func TestReadList(t *testing.T) {
	file := t.TempDir() + "/objects.txt"
	for text, want := range map[string]string{
		"# a\n\n--name a --new b.New --core A,B --read-only B": "",
		"--name a":                               ":1: --name or --new is missing",
		"\n\n--name a --new b.New --values many": ":3: --values: ",
		"--name a --new b.New\n--name":           ":2: --name has no value",
		"--name a --new b.New --time 3":          ":1: unknown flag --time",
		`--name a --new b.New("x")`:              ":1: ",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		all, err := readList(file)
		if want == "" && (err != nil || len(all) != 1 || len(all[0].Reflect.ReadOnly) != 1 || len(all[0].Reflect.Core) != 2) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, %v, expected %q", text, all, err, want)
		}
	}
}
