package stress

import (
	"strings"

	"github.com/leadline/leadline/history/explore"
)

// Comments of the file of a violation.
const (
	objectComment   = "# object: "
	programComment  = "# program: "
	scheduleComment = "# schedule: "
	stepComment     = "# | "
)

// ScheduleComments returns the object, the program, its schedule and the steps, as
// comments of a file in leadline's format; "" without a schedule. The object is
// for ReadSchedule, and may be empty.
func (f *Finding) ScheduleComments(object string) string {
	if f.Scheduled == nil {
		return ""
	}
	var table, text strings.Builder
	if object != "" {
		text.WriteString(objectComment + object + "\n")
	}
	text.WriteString(programComment + f.Program + "\n" + scheduleComment + f.Scheduled.Schedule + "\n")
	_ = explore.WriteSteps(&table, f.Scheduled.Steps) // to memory
	for line := range strings.Lines(table.String()) {
		text.WriteString(stepComment + line)
	}
	return text.String()
}

// A SavedSchedule has the contents of the comments of a saved file.
type SavedSchedule struct{ Object, Program, Schedule, Steps string }

// ReadSchedule reads the comments at the beginning of a file. Fields without a comment
// are empty.
func ReadSchedule(text string) SavedSchedule {
	var s SavedSchedule
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "#") {
			break
		}
		for _, c := range []struct {
			prefix string
			to     *string
		}{{objectComment, &s.Object}, {programComment, &s.Program}, {scheduleComment, &s.Schedule}} {
			if rest, ok := strings.CutPrefix(line, c.prefix); ok {
				*c.to = rest
			}
		}
		if rest, ok := strings.CutPrefix(line, stepComment); ok {
			s.Steps += rest + "\n"
		}
	}
	return s
}
