package order

// pickVariable removes the unassigned variable of the greatest activity from the heap and
// returns it, or -1 if all variables have values.
func (s *solver) pickVariable() variable {
	for len(s.heap) > 0 {
		v := s.heap[0]
		last := s.heap[len(s.heap)-1]
		s.heap = s.heap[:len(s.heap)-1]
		s.place[v] = -1
		if len(s.heap) > 0 {
			s.heap[0] = last
			s.place[last] = 0
			s.sink(0)
		}
		if s.value[2*v] == 0 {
			return v
		}
	}
	return -1
}

func (s *solver) bumpActivity(v variable) {
	s.activity[v] += s.activityStep
	if s.place[v] >= 0 {
		s.lift(int(s.place[v]))
	}
}

// hasPriority reports whether v is decided before w.
func (s *solver) hasPriority(v, w variable) bool {
	return s.activity[v] > s.activity[w] || s.activity[v] == s.activity[w] && v < w
}

func (s *solver) insert(v variable) {
	s.heap = append(s.heap, v)
	s.place[v] = int32(len(s.heap) - 1)
	s.lift(len(s.heap) - 1)
}

func (s *solver) lift(i int) {
	v := s.heap[i]
	for i > 0 && s.hasPriority(v, s.heap[(i-1)/2]) {
		s.heap[i] = s.heap[(i-1)/2]
		s.place[s.heap[i]] = int32(i)
		i = (i - 1) / 2
	}
	s.heap[i] = v
	s.place[v] = int32(i)
}

func (s *solver) sink(i int) {
	v := s.heap[i]
	for {
		child := 2*i + 1
		if child >= len(s.heap) {
			break
		}
		if child+1 < len(s.heap) && s.hasPriority(s.heap[child+1], s.heap[child]) {
			child++
		}
		if !s.hasPriority(s.heap[child], v) {
			break
		}
		s.heap[i] = s.heap[child]
		s.place[s.heap[i]] = int32(i)
		i = child
	}
	s.heap[i] = v
	s.place[v] = int32(i)
}
