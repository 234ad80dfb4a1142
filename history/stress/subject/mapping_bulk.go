package subject

// A bulkMap shows a part of what it is putting.
type bulkMap struct{ lockedMap }

func (m *bulkMap) putAll(entries []entry) {
	for _, e := range entries {
		m.put(e.key, e.v)
		linger()
	}
}
