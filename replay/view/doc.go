// Package view writes a page that shows histories, their witnesses, and why they
// are not linearizable. The page is one HTML file without any network: it holds
// its style, its script and all histories, compressed.
//
//	A  |--write(1)--|        |--read: 2--|
//	B     |--write(2)--|
//	C        |------read: 1------|
//
// is drawn with a lane per process. Points in the bars show the witness, and a list
// beside them has the state after each step. For a history that is not linearizable,
// the page shows the parts of its replay.Explanation.
//
// Write writes a page about some items:
//
//	v, err := explain.Check(ctx, h, spec, replay.Options{})
//	...
//	err = view.Write(file, view.Item{History: h, Spec: spec, Verdict: v})
//
// Item.Steps is a table in plain text, with the steps of a schedule that leads to the
// history. The page has it below the picture.
//
// A Writer writes a page about many histories, one after another. Such a page begins
// with a list.
//
// The content of histories is not trusted. It is in the page as base64 or as JSON with
// escaped angle brackets, and the script makes text nodes of it. The policy of the page
// allows its own script and style, by their hashes, and nothing else.
//
// The page needs a browser from 2024 or later; others show a message. The tests
// in a browser are in benchdata/bench/page.
//
// The same items give the same bytes. The form of the data inside the page may change.
package view
