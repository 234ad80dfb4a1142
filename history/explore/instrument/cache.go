package instrument

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leadline/leadline/history/explore/instrument/golist"
)

// key returns the name in the cache of something that depends on the parts.
func key(kind string, parts ...string) string {
	h := sha256.New()
	for _, p := range append([]string{format}, parts...) {
		fmt.Fprintf(h, "%d %s\n", len(p), p)
	}
	return kind + "-" + hex.EncodeToString(h.Sum(nil)[:16])
}

// once returns a directory of the cache. If it does not exist, fill writes a temporary
// directory, which is then renamed, so that other processes can do the same at the same
// time.
func (b *build) once(name string, fill func(dir string) error) (string, error) {
	dir := filepath.Join(b.cache, name)
	if _, err := os.Stat(dir); err == nil {
		now := time.Now()
		_ = os.Chtimes(dir, now, now) // it is in use
		return dir, nil
	}
	temporary, err := os.MkdirTemp(b.cache, "new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temporary)
	if err := fill(temporary); err != nil {
		return "", err
	}
	b.grown = true
	if err := os.Chmod(temporary, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(temporary, dir); err != nil {
		if _, other := os.Stat(dir); other != nil {
			return "", err
		}
	}
	return dir, nil
}

const (
	// cacheBytes bounds the files of the cache.
	cacheBytes = 1 << 30
	// inUse is for how long a directory is kept after its last use: a build of another
	// process may be reading it.
	inUse = 10 * time.Minute
)

// trim removes directories of the cache that were not used for 30 days, and while the rest is
// larger than most bytes, the one that was used longest ago.
func (b *build) trim(most int64) {
	type directory struct {
		name string
		used time.Time
		size int64
	}
	var list []directory
	entries, _ := os.ReadDir(b.cache)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			name := filepath.Join(b.cache, e.Name())
			list = append(list, directory{name, info.ModTime(), sizeOf(name)})
			most -= list[len(list)-1].size
		}
	}
	slices.SortFunc(list, func(a, b directory) int { return a.used.Compare(b.used) })
	for _, d := range list {
		unused := time.Since(d.used)
		if unused > 30*24*time.Hour || most < 0 && unused > inUse {
			_ = os.RemoveAll(d.name)
			most += d.size
		}
	}
}

// sizeOf returns the size of the files in a directory.
func sizeOf(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}

// A module is one with packages to instrument.
type module struct {
	*golist.Module
	packages []*golist.Package
}

// copy returns the directory of a copy, which traces show. It has no @, since the Go tool
// would read the rest of the name as a version.
func (m *module) copy() string { return filepath.FromSlash(m.Path + "-" + m.Version) }

// modules returns those of the chosen packages, in order.
func (b *build) modules() []*module {
	byPath := map[string]*module{}
	for _, path := range slices.Sorted(maps.Keys(b.chosen)) {
		p := b.chosen[path]
		m := byPath[p.Module.Path]
		if m == nil {
			m = &module{Module: p.Module}
			byPath[p.Module.Path] = m
		}
		m.packages = append(m.packages, p)
	}
	var list []*module
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		list = append(list, byPath[path])
	}
	return list
}

// An entry of the cache describes its directory.
type entry struct {
	Files map[string]string // original name -> name of the copy in the directory
	Notes []*Notes
}

// module instruments the packages of a module, as copies of its directory if that
// is in the module cache, since the Go tool refuses overlays for these.
func (b *build) module(ctx context.Context, m *module) error {
	copied := !b.isLocal(m.Module)
	name, err := b.moduleKey(m, copied)
	if err != nil {
		return err
	}
	dir, err := b.once(name, func(dir string) error { return b.fill(ctx, m, copied, dir) })
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, "entry.json"))
	if err != nil {
		return err
	}
	var e entry
	if err := json.Unmarshal(text, &e); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	b.copies.Notes = append(b.copies.Notes, e.Notes...)
	if copied {
		// With the version, since the module may replace others.
		b.replace = append(b.replace, "-replace="+m.Path+"@"+m.Version+"="+filepath.Join(dir, m.copy()))
		return nil
	}
	for original, name := range e.Files {
		b.copies.Overlay[original] = filepath.Join(dir, name)
	}
	return nil
}

// isLocal reports whether a module is not in the module cache: it belongs to the workspace, or replaces another.
func (b *build) isLocal(m *golist.Module) bool {
	within, err := filepath.Rel(resolved(b.modcache), resolved(m.Dir))
	return err != nil || !filepath.IsLocal(within)
}

// resolved returns a directory without symbolic links.
func resolved(dir string) string {
	if to, err := filepath.EvalSymlinks(dir); err == nil {
		return to
	}
	return dir
}

// moduleKey returns the name in the cache. Export data has names that depend on
// its contents.
func (b *build) moduleKey(m *module, copied bool) (string, error) {
	parts := []string{m.Path, m.Version, m.Dir, m.GoVersion, fmt.Sprint(b.Plain, b.Tests, b.Explore, copied)}
	for _, p := range m.packages {
		parts = append(parts, p.ImportPath, strings.Join(p.GoFiles, " "), fmt.Sprint(b.followed[p.Path()]))
		for _, path := range p.Deps {
			if i := b.list.Packages[path]; i != nil {
				parts = append(parts, path, filepath.Base(i.Export))
			}
		}
		if copied {
			continue // the directory of a version does not change
		}
		for _, file := range slices.Concat(p.GoFiles, p.SFiles) {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				return "", err
			}
			parts = append(parts, string(text))
		}
	}
	return key("module", parts...), nil
}

// fill writes a directory of the cache: the new files, and the rest of the module
// if it is a copy.
func (b *build) fill(ctx context.Context, m *module, copied bool, dir string) error {
	e := entry{Files: map[string]string{}}
	if copied {
		tests := b.Tests
		for _, p := range m.packages {
			tests = tests || slices.ContainsFunc(p.EmbedFiles, func(name string) bool { return strings.Contains(name, "test") })
		}
		if err := m.copyTo(filepath.Join(dir, m.copy()), tests); err != nil {
			return err
		}
	}
	for n, p := range m.packages {
		notes := &Notes{Path: p.Path(), Version: m.Version}
		e.Notes = append(e.Notes, notes)
		if len(p.CgoFiles) > 0 {
			notes.miss("the package, since it uses cgo", filepath.Join(p.Dir, p.CgoFiles[0]))
			continue
		}
		s, faults := b.check(p)
		if len(faults) > 0 {
			return errors.Join(faults...)
		}
		if s == nil {
			continue
		}
		files, err := rewrite(b.list, s, &b.Target, notes)
		if why := notes.unfit(err); why != "" && b.followed[p.Path()] {
			notes.Counts, notes.Missed = nil, []Missed{{"the package, which cannot be instrumented: " + why, p.Dir, 1}}
			continue
		}
		if err != nil {
			return fmt.Errorf("%s cannot be instrumented: %w", p.Path(), err)
		}
		for original, text := range files {
			name := filepath.Join(strconv.Itoa(n), filepath.Base(original))
			if copied {
				within, err := filepath.Rel(m.Dir, original)
				if err != nil {
					return err
				}
				name = filepath.Join(m.copy(), within)
			}
			if err := writeFile(filepath.Join(dir, name), text); err != nil {
				return err
			}
			e.Files[original] = name
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	text, err := json.Marshal(&e)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "entry.json"), text, 0o644)
}

func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// copyTo copies a module, with its tests if tests. The copy has a go.mod.
func (m *module) copyTo(dir string, tests bool) error {
	if err := writeFile(filepath.Join(dir, "go.mod"), []byte("module "+m.Path+"\n")); err != nil {
		return err
	}
	return filepath.WalkDir(m.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		within, err := filepath.Rel(m.Dir, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && d.Name() == "testdata" && !tests:
			return fs.SkipDir
		case !d.Type().IsRegular(), strings.HasSuffix(path, "_test.go") && !tests:
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return writeFile(filepath.Join(dir, within), text)
	})
}
