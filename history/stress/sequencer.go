package stress

import "fmt"

// Limits of a program whose sequential runs are made.
const (
	maxShuffles    = 1 << 17
	maxSequences   = 8       // nine sequences have more shuffles
	maxInvocations = 1000    // of one program
	maxCalls       = 1 << 23 // of all shuffles together
)

// A Sequencer puts the invocations of a program in order for a sequential run: those of one
// sequence one after another, and none before the sequences have ended that the program puts
// before it.
type Sequencer struct {
	Order []int // the invocations so far, as numbers of Program.All

	program  *Program
	sequence []int   // of each invocation, or -1
	begin    []int   // sequence -> its first invocation among calls
	before   [][]int // sequence -> those before it
	at       []int   // sequence -> how many of its invocations are in order
}

// NewSequencer returns one with an empty order.
func NewSequencer(p *Program) *Sequencer {
	o := &Sequencer{program: p, before: make([][]int, len(p.Sequences)), at: make([]int, len(p.Sequences))}
	for range p.Initial {
		o.sequence = append(o.sequence, -1)
	}
	for s, sequence := range p.Sequences {
		o.begin = append(o.begin, len(o.sequence))
		for range sequence {
			o.sequence = append(o.sequence, s)
		}
	}
	for range p.Final {
		o.sequence = append(o.sequence, -1)
	}
	for _, pair := range p.Order {
		o.before[pair[1]] = append(o.before[pair[1]], pair[0])
	}
	return o
}

// Restart makes the order empty.
func (s *Sequencer) Restart() {
	s.Order = s.Order[:0]
	clear(s.at)
}

// Take makes an invocation the next one.
func (s *Sequencer) Take(i int) {
	s.Order = append(s.Order, i)
	if of := s.sequence[i]; of >= 0 {
		s.at[of]++
	}
}

// SequenceOf returns the number of the sequence of an invocation, or -1.
func (s *Sequencer) SequenceOf(i int) int { return s.sequence[i] }

// Enabled returns the invocations that can be next, apart from whether they wait.
func (s *Sequencer) Enabled() []int {
	n := len(s.Order)
	if n < len(s.program.Initial) {
		return []int{n}
	}
	var list []int
	for i, sequence := range s.program.Sequences {
		if s.at[i] < len(sequence) && s.follows(i) {
			list = append(list, s.begin[i]+s.at[i])
		}
	}
	if list == nil && n < len(s.sequence) {
		return []int{n} // of the final part
	}
	return list
}

// follows reports whether the sequences before sequence i have ended.
func (s *Sequencer) follows(i int) bool {
	for _, b := range s.before[i] {
		if s.at[b] < len(s.program.Sequences[b]) {
			return false
		}
	}
	return true
}

// TooLarge returns an error if running the program in every order would exceed a limit.
func (s *Sequencer) TooLarge() error {
	n := len(s.sequence)
	if n > maxInvocations {
		return fmt.Errorf("the program has %d invocations, but at most %d are possible", n, maxInvocations)
	}
	switch runs := s.count(map[string]int{}); {
	case runs > maxShuffles:
		return fmt.Errorf("the program has more than %d shuffles", maxShuffles)
	case runs*n > maxCalls:
		return fmt.Errorf("the shuffles of the program have more than %d invocations together", maxCalls)
	}
	return nil
}

// count returns the number of continuations of the current order, times 2^w for their w
// weak mutators, or a number above maxShuffles. The map has those it counted before.
func (s *Sequencer) count(counted map[string]int) int {
	key := fmt.Sprint(s.at)
	if n, ok := counted[key]; ok {
		return n
	}
	runs, open := 0, false
	for i, sequence := range s.program.Sequences {
		if s.at[i] == len(sequence) || !s.follows(i) || runs > maxShuffles {
			continue
		}
		open = true
		m := sequence[s.at[i]].Method
		s.at[i]++
		n := s.count(counted)
		s.at[i]--
		if m.MayFail() {
			n *= 2
		}
		runs += n
	}
	if !open {
		runs = 1
	}
	counted[key] = min(runs, maxShuffles+1)
	return counted[key]
}
