package stress

import "time"

// An Effort is how long a class is looked at.
type Effort struct {
	Name string
	// Time is for a class, shared by the methods to be blamed.
	Time time.Duration
	// Program is for a program, if no violation is seen.
	Program time.Duration
}

// Efforts are the presets, from the least to the most.
var Efforts = []Effort{
	{"quick", 10 * time.Second, 20 * time.Millisecond},
	{"default", 2 * time.Minute, 50 * time.Millisecond},
	{"tough", 20 * time.Minute, 250 * time.Millisecond},
}

// EffortCalled returns a preset.
func EffortCalled(name string) (Effort, bool) {
	for _, e := range Efforts {
		if e.Name == name {
			return e, true
		}
	}
	return Effort{}, false
}
