// Package ops reads a history once for all engines.
//
//	A  |-- put(1) --|   |-- take: 2 --|
//	B     |-- put(2) --|
//
//	p := ops.New(h, spec, maxBytes)
//	c := p.Columns(meter) // c.Role: Insert, Insert, Remove; c.Value: 0, 1, 1
//
// A Problem is a history with its specification. Columns has the replay.Facts of the
// operations, with numbers in place of values and parts. With makes the problem of a prefix, a
// sub-history or other results, without reading again what is the same. Split finds parts.
// A Frontier moves along the responses and knows what is open at each.
//
// The functions beside Problem are about histories alone: responses in order, edges,
// sub-histories, and witnesses that are merged or completed.
package ops
