package batch

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// A Cache keeps final outcomes of any batches in a directory, by content. Its files are
// stores whose names end in .results. If they exceed the size that OpenCache was given,
// the oldest files are removed. Each process adds to a file of its own, so several
// processes may use a cache at the same time. A process finds what others added when it
// opens the cache again. A Cache may be used by several goroutines.
type Cache struct {
	dir   string
	limit int64

	mu    sync.Mutex
	files []*store // the oldest first
	own   *store   // the one of files that grows; nil before anything is added
	err   error    // the first of writing
}

// DefaultCacheBytes is a reasonable bound for a Cache.
const DefaultCacheBytes = 256 << 20

const cacheFiles = 8 // a file that reaches the bound divided by this grows no more

// OpenCache opens the cache in a directory, which is made if necessary.
func OpenCache(dir string, limit int64) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.results"))
	if err != nil {
		return nil, err
	}
	c := &Cache{dir: dir, limit: limit}
	type aged struct {
		*store
		modified int64
	}
	var found []aged
	for _, name := range names {
		s, modified, err := openStore(name)
		if errors.Is(err, os.ErrNotExist) {
			continue // another process removed it
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("cache %s: %w", name, err), c.Close())
		}
		found = append(found, aged{s, modified})
	}
	slices.SortStableFunc(found, func(a, b aged) int { return cmp.Compare(a.modified, b.modified) })
	for _, f := range found {
		c.files = append(c.files, f.store)
	}
	c.shrink()
	return c, nil
}

// openStore opens a file of a cache for reading.
func openStore(name string) (s *store, modified int64, err error) {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, 0, err
	}
	s = &store{file: file}
	err = s.loadResults()
	info, statErr := file.Stat()
	if err = errors.Join(err, statErr); err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return s, info.ModTime().UnixNano(), nil
}

// shrink removes the oldest files that are beyond the bound.
func (c *Cache) shrink() {
	total := int64(0)
	for _, s := range c.files {
		total += s.size
	}
	for total > c.limit && len(c.files) > 0 && c.files[0] != c.own {
		s := c.files[0]
		c.files = c.files[1:]
		total -= s.size
		// If an open file cannot be removed, it is left to the next process.
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}

// Get returns the outcome with a key, if there is one.
func (c *Cache) Get(k Key) (*Outcome, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.files) - 1; i >= 0; i-- {
		if o, _, ok := c.files[i].get(k); ok {
			return o, true
		}
	}
	return nil, false
}

// Put adds a final outcome. Close returns the first error, after which nothing is added.
func (c *Cache) Put(k Key, o *Outcome) {
	if !o.Final {
		return
	}
	line := appendOutcome(nil, k, o)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil || int64(len(line)) > c.limit/cacheFiles {
		return
	}
	if c.own == nil || c.own.size+int64(len(line)) > c.limit/cacheFiles {
		if c.err = c.grow(); c.err != nil {
			return
		}
	}
	at, err := c.own.append(line)
	if err != nil {
		c.err = err
		return
	}
	c.own.offsets[k.half()] = at
}

// loadResults loads a file of a cache. Unlike a journal, it has no lines about itself.
func (s *store) loadResults() error {
	err := s.load(func([]byte) error { return errDamaged })
	if err == errDamaged {
		return nil // what follows is not used
	}
	return err
}

// grow chooses the file to add to: the latest one that is small and that no other process
// adds to, or else a new one.
func (c *Cache) grow() error {
	if c.own == nil {
		for i, s := range slices.Backward(c.files) {
			if s.size >= c.limit/cacheFiles/2 || lock(s.file) != nil {
				continue
			}
			// Another process may have added to it since it was loaded.
			if s.loadResults() == nil && s.truncate() == nil {
				c.own = s
				c.files = append(slices.Delete(c.files, i, i+1), s)
				return nil
			}
		}
	}
	file, err := os.CreateTemp(c.dir, "*.results")
	if err != nil {
		return err
	}
	if err := lock(file); err != nil {
		return errors.Join(err, file.Close())
	}
	c.own = &store{file: file, offsets: map[uint64]int64{}}
	c.files = append(c.files, c.own)
	c.shrink()
	return nil
}

// Close closes the files. It returns the first error of writing.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	errs := []error{c.err}
	for _, s := range c.files {
		errs = append(errs, s.file.Close())
	}
	return errors.Join(errs...)
}
