// Package explain finds out why a history is not linearizable.
package explain
