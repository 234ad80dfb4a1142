package history

// resolveMarks applies the marks "happened" and "did not happen".
func (b *Builder) resolveMarks() {
	for _, m := range b.marks {
		i, ok := b.index.get(m.op)
		if !ok {
			b.Errorf(m.line, "mark on operation %v, which is never invoked", m.op)
			continue
		}
		op := &b.ops[i]
		switch {
		case m.happened && op.dropped:
			b.Errorf(m.line, "operation %v is marked as happened but did not%s", m.op, atLine("", op.Line))
		case !m.happened && (op.ended == OK || op.Happened):
			b.Errorf(m.line, "operation %v is marked as not happened but did%s", m.op, atLine("", op.Line))
		case m.happened:
			op.Happened = op.ended != OK
		default:
			op.dropped = true
		}
	}
}

// resolveEdges turns identifiers into operation numbers. An edge out of a
// pending operation says that it happened.
func (b *Builder) resolveEdges() []Edge {
	var edges []Edge
	for _, e := range b.edges {
		from, okFrom := b.index.get(e.from)
		to, okTo := b.index.get(e.to)
		switch {
		case !okFrom:
			b.Errorf(e.line, "edge from operation %v, which is never invoked", e.from)
		case !okTo:
			b.Errorf(e.line, "edge to operation %v, which is never invoked", e.to)
		case from == to:
			b.Errorf(e.line, "edge from operation %v to itself", e.from)
		default:
			op := &b.ops[from]
			if op.ended != OK && !op.dropped && !op.Happened {
				op.Happened = true
			}
			edges = append(edges, Edge{from, to})
		}
	}
	return edges
}
