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

// suspects returns methods such that each violation and crash calls one of them: as few as is easily
// found. If several would do, it begins with the one at the given place among the methods of the
// first violation.
func (s *searcher) suspects(at int) (list []string) {
	for left := slices.Clone(s.guilty); len(left) > 0; {
		worst, most := "", 0
		for i := range left[0] {
			m := left[0][(at+i)%len(left[0])]
			n := 0
			for _, set := range left {
				if slices.Contains(set, m) {
					n++
				}
			}
			if n > most {
				worst, most = m, n
			}
		}
		if worst != "" {
			list = append(list, worst)
		}
		left = slices.DeleteFunc(left, func(set []string) bool { return len(set) == 0 || slices.Contains(set, worst) })
	}
	return list
}

// avoids reports whether the program waits for another turn, after violations that no single method
// is to blame for: half of the programs call no suspect in parallel, so that a method which is
// wrong beside any other does not hide the rest.
func (s *searcher) avoids(t *target, p *Program) bool {
	if len(s.guilty) == 0 || t.tried%2 == 0 {
		return false
	}
	names := p.Parallel()
	return slices.ContainsFunc(s.suspects(t.tried/2), func(m string) bool { return m != t.method && slices.Contains(names, m) })
}
