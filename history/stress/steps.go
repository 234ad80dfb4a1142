package stress

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Outside is the thread of the initial and the final part in ScheduledStep.
const Outside = -1

// WriteSteps writes the steps of a schedule, one a line, with a column for each
// thread.
func WriteSteps(w io.Writer, steps []ScheduledStep) error {
	var threads []int
	for _, s := range steps {
		if !slices.Contains(threads, s.Thread) {
			threads = append(threads, s.Thread)
		}
	}
	slices.Sort(threads)
	width := map[int]int{}
	for _, s := range steps {
		width[s.Thread] = max(width[s.Thread], len([]rune(s.text())), len(threadName(s.Thread)))
	}
	row := func(number string, cell func(thread int) string) error {
		var b strings.Builder
		fmt.Fprintf(&b, "%4s", number)
		for _, t := range threads {
			fmt.Fprintf(&b, "  %-*s", width[t], cell(t))
		}
		_, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
		return err
	}
	if err := row("", threadName); err != nil {
		return err
	}
	n := 0
	for _, s := range steps {
		number := ""
		if !s.Event {
			n++
			number = fmt.Sprint(n)
		}
		if err := row(number, func(t int) string {
			if t != s.Thread {
				return ""
			}
			return s.text()
		}); err != nil {
			return err
		}
	}
	return nil
}

func threadName(t int) string {
	if t == Outside {
		return "before and after"
	}
	return fmt.Sprintf("thread %d", t)
}

func (s *ScheduledStep) text() string {
	if s.Event {
		return s.What
	}
	text := "  " + s.What
	if s.Place != "" && s.Place != "." {
		text += " " + s.Place
	}
	if s.Value != "" {
		text += " " + s.Value
	}
	return text
}

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
	_ = WriteSteps(&table, f.Scheduled.Steps) // to memory
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
