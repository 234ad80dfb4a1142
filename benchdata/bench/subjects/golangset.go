package subjects

import mapset "github.com/deckarep/golang-set/v2"

// GolangSet is a thread-safe Set of github.com/deckarep/golang-set/v2.
type GolangSet struct{ s mapset.Set[int] }

func NewGolangSet() *GolangSet { return &GolangSet{mapset.NewSet[int]()} }

func (s *GolangSet) Add(val int) bool                { return s.s.Add(val) }
func (s *GolangSet) Append(vals []int) int           { return s.s.Append(vals...) }
func (s *GolangSet) Cardinality() int                { return s.s.Cardinality() }
func (s *GolangSet) Clear()                          { s.s.Clear() }
func (s *GolangSet) Contains(vals []int) bool        { return s.s.Contains(vals...) }
func (s *GolangSet) ContainsAny(vals []int) bool     { return s.s.ContainsAny(vals...) }
func (s *GolangSet) ContainsOne(val int) bool        { return s.s.ContainsOne(val) }
func (s *GolangSet) IsEmpty() bool                   { return s.s.IsEmpty() }
func (s *GolangSet) Remove(val int)                  { s.s.Remove(val) }
func (s *GolangSet) RemoveAll(vals []int)            { s.s.RemoveAll(vals...) }
func (s *GolangSet) Equal(other []int) bool          { return s.s.Equal(setOf(other)) }
func (s *GolangSet) IsSubset(other []int) bool       { return s.s.IsSubset(setOf(other)) }
func (s *GolangSet) IsSuperset(other []int) bool     { return s.s.IsSuperset(setOf(other)) }
func (s *GolangSet) IsProperSubset(o []int) bool     { return s.s.IsProperSubset(setOf(o)) }
func (s *GolangSet) IsProperSuperset(o []int) bool   { return s.s.IsProperSuperset(setOf(o)) }
func (s *GolangSet) ContainsAnyElement(o []int) bool { return s.s.ContainsAnyElement(setOf(o)) }

// These return the elements of the new set.

func (s *GolangSet) Clone() []int                 { return elements(s.s.Clone()) }
func (s *GolangSet) Union(other []int) []int      { return elements(s.s.Union(setOf(other))) }
func (s *GolangSet) Intersect(other []int) []int  { return elements(s.s.Intersect(setOf(other))) }
func (s *GolangSet) Difference(other []int) []int { return elements(s.s.Difference(setOf(other))) }
func (s *GolangSet) SymmetricDifference(o []int) []int {
	return elements(s.s.SymmetricDifference(setOf(o)))
}

// ToSlice is sorted.
func (s *GolangSet) ToSlice() []int { return elements(s.s) }

// Each returns the visited elements, sorted.
func (s *GolangSet) Each() []int {
	var list []int
	s.s.Each(func(val int) bool {
		list = append(list, val)
		return false
	})
	return sorted(list)
}

// Iter returns the received elements, sorted.
func (s *GolangSet) Iter() []int {
	var list []int
	for val := range s.s.Iter() {
		list = append(list, val)
	}
	return sorted(list)
}

func setOf(list []int) mapset.Set[int] { return mapset.NewSet(list...) }

func elements(s mapset.Set[int]) []int { return sorted(s.ToSlice()) }
