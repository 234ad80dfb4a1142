package proof

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// A claim is the first line of a certificate: that the operations of a history, or some of them, have
// no linearization. Or, with a witness, that it has one.
type claim struct {
	Certificate int    `json:"certificate"` // the version of the form: 1
	History     string `json:"history,omitempty"`
	SHA256      string `json:"sha256"` // of the history as leadline convert writes it
	Model       string `json:"model"`
	Args        state  `json:"args,omitempty"`
	// Until is how many events are considered, and Of how many there are. Operations that are open after
	// these events are pending.
	Until int `json:"until,omitempty"`
	Of    int `json:"of,omitempty"`
	// Only has the keys or values such that operations about others were left out; nil: there are none.
	Only *state `json:"only,omitempty"`
	// Witness has the numbers of all operations of the history, in an order that is a linearization.
	Witness []int `json:"witness,omitempty"`
}

// A configuration is what may be the case at some time: some operations are done, and they have led to
// a state. The first Done operations of the certificate are, and those in Also.
type configuration struct {
	Done  int   `json:"done"`
	Also  []int `json:"also,omitempty"` // places in the certificate, in their order
	State state `json:"state"`
}

// textOf returns an operation or a configuration in JSON.
func textOf(x any) string {
	text, _ := json.Marshal(x) // nothing in it can fail
	return string(text)
}

// has reports whether the operation at a place is done.
func (c *configuration) has(place int) bool {
	_, also := slices.BinarySearch(c.Also, place)
	return place < c.Done || also
}

// with returns c with one more operation done, in the one form that a set of operations has.
func (c *configuration) with(place int, s state) configuration {
	at, _ := slices.BinarySearch(c.Also, place)
	next := configuration{c.Done, slices.Insert(slices.Clone(c.Also), at, place), append(state{}, s...)}
	for len(next.Also) > 0 && next.Also[0] == next.Done {
		next.Done++
		next.Also = next.Also[1:]
	}
	return next
}

// A certificate is the claim, then the operations in the order of their invocations, edges between
// them by their places, and the closed set.
type certificate struct {
	claim
	ops    []operation
	edges  [][2]int
	before map[int][]int // place -> those from which an edge leads there
	set    []configuration
	model  *model
}

// parse reads a certificate: a line of JSON for each of its parts.
func parse(text []byte) (*certificate, error) {
	c := &certificate{}
	for n, row := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var part struct {
			operation
			configuration
			Edge [2]int
		}
		var has map[string]bool
		var err error
		if n == 0 {
			_, err = decode(row, &c.claim)
		} else if has, err = decode(row, &part); has["operation"] {
			c.ops = append(c.ops, part.operation)
		} else if has["edge"] {
			c.edges = append(c.edges, part.Edge)
		} else {
			c.set = append(c.set, part.configuration)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d of the certificate: %w", n+1, err)
		}
	}
	if c.Certificate != 1 {
		return nil, errors.New("this is no certificate of version 1")
	}
	return c, c.open()
}

// open finds the model, and checks that the operations are in their order.
func (c *certificate) open() (err error) {
	if c.model, err = modelOf(c.Model, c.Args); err != nil {
		return err
	}
	for i, o := range c.ops {
		if c.ops[i], err = c.model.named(o); err != nil {
			return err
		}
		if o.Call < 1 || o.Return != 0 && o.Return <= o.Call || i > 0 && o.Call <= c.ops[i-1].Call {
			return fmt.Errorf("operation %d: its instants are not in their order", o.Number)
		}
	}
	return c.connect()
}

// connect fills before.
func (c *certificate) connect() error {
	c.before = map[int][]int{}
	for _, e := range c.edges {
		if min(e[0], e[1]) < 0 || max(e[0], e[1]) >= len(c.ops) {
			return errors.New("an edge of an operation that is not there")
		}
		c.before[e[1]] = append(c.before[e[1]], e[0])
	}
	return nil
}

// text returns the lines of the certificate.
func (c *certificate) text() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(c.claim) // nothing in it can fail
	for i := range c.ops {
		_ = e.Encode(c.ops[i])
	}
	for _, edge := range c.edges {
		_ = e.Encode(map[string][2]int{"edge": edge})
	}
	for i := range c.set {
		_ = e.Encode(c.set[i])
	}
	return b.Bytes()
}

// sum returns the digest of a history.
func sum(history []byte) string {
	s := sha256.Sum256(history)
	return hex.EncodeToString(s[:])
}
