package safety

import (
	"context"
	"go/build"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// Since Go 1.27, rand.Rand has the generic method N, which is never called.
func TestGenericUntried(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := &Library{Path: "math/rand/v2", Package: "rand", Targets: []Target{{Name: "Rand", Type: reflect.TypeFor[*rand.Rand](), Zero: true}}}
	r, err := Search(ctx, l, "Rand", Parameters{})
	if err != nil {
		t.Fatal(err)
	}
	if want := slices.Contains(build.Default.ReleaseTags, "go1.27"); slices.Contains(r.Untried, "N") != want {
		t.Errorf("untried are %q; N is one of them: %v", r.Untried, want)
	}
}
