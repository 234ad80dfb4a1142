package decide_test

import (
	"context"
	"io/fs"
	"testing"

	"github.com/leadline/leadline/benchdata/corpora"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

// BenchmarkCorpus checks the 10,464 histories of ten classes of
// java.util.concurrent, from their parsed form, with verdict and witness depth.
func BenchmarkCorpus(b *testing.B) {
	type subject struct {
		h *history.History
		s replay.Spec
	}
	var all []subject
	err := fs.WalkDir(corpora.FS, "juc", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		f, err := corpora.FS.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		for h, err := range codec.Decode(f, path, codec.Options{}) {
			if err != nil {
				return err
			}
			s, err := spec.Lookup(h.Model, h.ModelArgs)
			if err != nil {
				return err
			}
			all = append(all, subject{h, s})
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range []replay.Engine{replay.AutoEngine, replay.SearchEngine} {
		b.Run("engine="+e.String(), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				for _, s := range all {
					if _, err := decide.Check(context.Background(), s.h, s.s, replay.Options{Engine: e}); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(all)), "ns/history")
		})
	}
}
