// Package view writes a page that shows histories, their witnesses, and why they
// are not linearizable. The page is one HTML file without any network: it holds
// its style, its script and all histories, compressed.
//
//	A  |--write(1)--|        |--read: 2--|
//	B     |--write(2)--|
//	C        |------read: 1------|
//
// is drawn with a lane per process. The witness is a point in each bar, and the
// state after each step is beside it. For a history that is not linearizable, the
// page shows the parts of its replay.Explanation.
//
// Write writes a page about some items:
//
//	v, err := decide.Check(ctx, h, spec, replay.Options{Explain: true})
//	...
//	err = view.Write(file, view.Item{History: h, Spec: spec, Verdict: v})
//
// Item.Steps are those of a schedule that leads to the history, a table in plain
// text. It is below the picture.
//
// A Writer does so for archives, one history after another. The page then begins
// with a list.
//
// Everything that a history holds is untrusted. It is in the page as base64 or
// as JSON with escaped angle brackets, and the script makes text nodes of it. The
// policy of the page allows its own script and style by their hashes, and nothing
// else.
//
// The page needs a browser from 2024 or later; others show a message. The directory
// browsertest has its tests, in a module of its own.
//
// Promised: the same items give the same bytes. Not promised: the form of the data
// inside the page.
package view
