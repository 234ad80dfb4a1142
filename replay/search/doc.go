// Package search decides histories that families leave open, by trying every
// order that could still matter.
//
// Its configurations are pairs of a set of placed operations and a state of
// the object. Of the schedules
//
//	add(1) add(2) contains(3) ...
//	add(2) add(1) contains(3) ...
//
// of a set the second is given up as soon as both adds are placed: the first
// has been in that configuration and failed.
//
// Promised: a definite answer for up to MaxOps operations, pending ones and
// unknown results included, unless memory or time run out. Not promised:
// anything about depth.
package search
