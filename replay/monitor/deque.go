package monitor

import "github.com/leadline/leadline/replay"

// asDeque decides a deque as a stack if it is used at one end only, or as a queue if it is
// filled at one end and emptied and read at the other. Otherwise it declines with a reason.
func (p *problem) asDeque() (declined replay.Reason) {
	var has [replay.Never + 1]bool
	for _, role := range p.roles {
		has[role] = true
	}
	filledBack, filledFront := has[replay.Insert], has[replay.InsertFront]
	takenBack, takenFront := has[replay.Remove] || has[replay.Look], has[replay.RemoveFront] || has[replay.LookFront]
	switch {
	case len(p.pendingRemovals) > 0: // of either end
		return replay.PendingRemovals
	case !filledFront && !takenFront, !filledBack && !takenBack:
		p.discipline = replay.LastIn
	case !filledFront && !takenBack, !filledBack && !takenFront:
		p.discipline = replay.FirstIn
	default:
		return replay.UsedAtBothEnds
	}
	for i, role := range p.roles {
		switch role {
		case replay.InsertFront:
			p.roles[i] = replay.Insert
		case replay.RemoveFront:
			p.roles[i] = replay.Remove
		case replay.LookFront:
			p.roles[i] = replay.Look
		}
	}
	return ""
}
