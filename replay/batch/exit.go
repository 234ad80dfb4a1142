package batch

// The exit statuses of commands that check histories. When several hold, the worse
// one is reported.
const (
	ExitOK       = 0 // all linearizable
	ExitNot      = 1 // some not linearizable
	ExitBad      = 2 // bad usage or bad input
	ExitUnknown  = 3 // some unknown
	ExitInternal = 4 // a fault of leadline itself
)

var exits = [...]int{Unknown: ExitUnknown, Linearizable: ExitOK, NotLinearizable: ExitNot, Invalid: ExitBad, Internal: ExitInternal}

// Exit returns the exit status of a command if all its results have status s.
func (s Status) Exit() int {
	if int(s) < len(exits) {
		return exits[s]
	}
	return ExitInternal
}

// InterruptedExit returns the exit status of a batch that was interrupted, given the
// status so far: the rest of the histories is unknown.
func InterruptedExit(status int) int {
	if status == ExitBad || status == ExitInternal {
		return status
	}
	return ExitUnknown
}

// WorseExit returns which of two exit statuses to report: the first of 4, 2, 1, 3, 0.
func WorseExit(a, b int) int {
	rank := [...]int{ExitOK: 0, ExitUnknown: 1, ExitNot: 2, ExitBad: 3, ExitInternal: 4}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
