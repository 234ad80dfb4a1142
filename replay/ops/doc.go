// Package ops reads a history for the engines: its parts, its responses in order, its
// edges, and sub-histories.
package ops
