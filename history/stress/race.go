//go:build race

package stress

func init() { detectsRaces = true }
