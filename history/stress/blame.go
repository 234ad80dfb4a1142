package stress

import "slices"

// Parallel returns the names of the methods that the sequences call, in order.
func (p *Program) Parallel() []string {
	var names []string
	for _, sequence := range p.Sequences {
		for _, inv := range sequence {
			names = append(names, inv.Method.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// isGuilty reports whether the sequences of the program call all methods of a violation or a
// crash.
func (s *searcher) isGuilty(p *Program) bool {
	if len(s.guilty) == 0 {
		return false
	}
	names := p.Parallel()
	return slices.ContainsFunc(s.guilty, func(set []string) bool {
		return !slices.ContainsFunc(set, func(m string) bool { return !slices.Contains(names, m) })
	})
}

// isIn reports whether a method is in one of the sets.
func isIn(sets [][]string, method string) bool {
	return slices.ContainsFunc(sets, func(set []string) bool { return slices.Contains(set, method) })
}
