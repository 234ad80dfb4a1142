//go:build !race

package shim_test

const underRace = false
