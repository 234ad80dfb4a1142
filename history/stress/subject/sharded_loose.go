package subject

import "maps"

// A looseMap looks into its parts at different times.
type looseMap struct{ *shardedMap }

func (m *looseMap) size() (n int) {
	for i := range m.shards {
		n += m.shards[i].size()
		linger()
	}
	return n
}

func (m *looseMap) snapshot() map[int]int {
	all := map[int]int{}
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		maps.Copy(all, s.m)
		s.mu.Unlock()
		linger()
	}
	return all
}
