package stress

import (
	"slices"
	"sync"
	"testing"
)

// ownLock declares the methods of a lock.
type ownLock struct{ mu sync.RWMutex }

func (l *ownLock) Lock()          { l.mu.Lock() }
func (l *ownLock) Unlock()        { l.mu.Unlock() }
func (l *ownLock) TryLock() bool  { return l.mu.TryLock() }
func (l *ownLock) RLock()         { l.mu.RLock() }
func (l *ownLock) RUnlock()       { l.mu.RUnlock() }
func (l *ownLock) TryRLock() bool { return l.mu.TryRLock() }

// The other types have locks of package sync.
type (
	embedsMutex   struct{ sync.Mutex }
	embedsPointer struct{ *sync.RWMutex }
	embedsDeeply  struct{ embedsMutex }
	embedsLocker  struct{ sync.Locker }
	embedsOwn     struct{ *ownLock }
	overrides     struct {
		sync.Mutex
		locked int
	}
)

func (o *embedsMutex) Get() int   { return 1 }
func (o *embedsPointer) Get() int { return 1 }
func (o *embedsLocker) Get() int  { return 1 }

func (o *overrides) Lock() { o.Mutex.Lock(); o.locked++ }

// TestPromoted: the methods of a lock that is embedded are left out, and not those that a type declares.
func TestPromoted(t *testing.T) {
	names := func(r *Reflected, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return reflectedNames(r.Class, func(*Method) bool { return true })
	}
	const all = "Lock RLock RUnlock TryLock TryRLock Unlock"
	for _, c := range []struct{ got, want string }{
		{names(Reflect(func() *ownLock { return &ownLock{} }, ReflectOptions{})), all},
		{names(Reflect(func() *embedsMutex { return &embedsMutex{} }, ReflectOptions{})), "Get"},
		{names(Reflect(func() *embedsPointer { return &embedsPointer{&sync.RWMutex{}} }, ReflectOptions{})), "Get"},
		{names(Reflect(func() embedsPointer { return embedsPointer{&sync.RWMutex{}} }, ReflectOptions{})), "Get"},
		{names(Reflect(func() *embedsDeeply { return &embedsDeeply{} }, ReflectOptions{})), "Get"},
		{names(Reflect(func() *embedsLocker { return &embedsLocker{&sync.Mutex{}} }, ReflectOptions{})), "Get"},
		{names(Reflect(func() *embedsOwn { return &embedsOwn{&ownLock{}} }, ReflectOptions{})), all},
		{names(Reflect(func() *overrides { return &overrides{} }, ReflectOptions{})), "Lock"},
		{names(Reflect(func() sync.Locker { return &sync.Mutex{} }, ReflectOptions{})), "Lock Unlock"},
		{names(Reflect(func() *embedsMutex { return &embedsMutex{} }, ReflectOptions{Core: []string{"TryLock"}})), "Get TryLock"},
		{names(Reflect(func() *embedsMutex { return &embedsMutex{} }, Options{Programs: []string{"{ TryLock() } || { Lock() }"}}.Designations())), "Get Lock TryLock"},
	} {
		if c.got != c.want {
			t.Errorf("methods %s, want %s", c.got, c.want)
		}
	}
	r, err := Reflect(func() *embedsMutex { return &embedsMutex{} }, ReflectOptions{})
	if err != nil || !slices.Contains(r.LeftOut, Omission{What: "Lock", Why: promotedReason}) || r.Class.IsLock() {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestUnlocks: programs that may unlock what is not locked, by the names of the methods.
func TestUnlocks(t *testing.T) {
	r, err := Reflect(func() *ownLock { return &ownLock{} }, ReflectOptions{})
	if err != nil || !r.Class.IsLock() {
		t.Fatal(r, err)
	}
	for text, want := range map[string]bool{
		"{ Lock(); Unlock() } || { Lock(); Unlock() }":                             false,
		"{ Unlock() } || { Lock() }":                                               true,
		"{ Lock() } || { Lock() } [ Unlock() ]":                                    false,
		"[ Lock() ] { Unlock() } || { TryLock() }":                                 false,
		"[ Lock() ] { Unlock() } || { Unlock() }":                                  true,
		"{ TryLock(); Unlock() } || { TryLock() }":                                 false,
		"{ TryLock(); Unlock() } || { TryLock(); Unlock() }":                       true,
		"{ Lock(); Unlock() } || { RLock(); RUnlock() }":                           false,
		"{ Lock(); RUnlock() } || { RLock() }":                                     true,
		"{ RLock(); RUnlock() } || { RLock(); RUnlock() }":                         false,
		"[ RLock() ] { TryLock(); RUnlock() } || { TryRLock(); RUnlock() }":        false,
		"[ Lock() ] { TryRLock(); RUnlock() } || { Unlock() }":                     true,
		"[ Lock(); Lock() ] { Unlock() } || { Unlock() }":                          true,
		"{ TryLock() } || { TryRLock() } || { Lock() }":                            false,
		"{ TryLock() } || { TryLock() } [ Unlock(); Unlock() ]":                    true,
		"{ Lock() } || { Lock(); Lock(); Unlock(); Unlock(); Unlock(); Unlock() }": false, // it waits first
	} {
		p, err := Parse(text, r.Class)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Class.unlocks(p); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestTrialOfLock: to find out which methods only read, those that unlock are not called: that would
// end this process.
func TestTrialOfLock(t *testing.T) {
	r, err := Reflect(func() *watchedLock { return &watchedLock{} }, ReflectOptions{})
	if err != nil || !r.Class.Method("IsHeld").ReadOnly || r.Class.Method("Unlock").ReadOnly {
		t.Errorf("%+v, %v", r, err)
	}
}

// A watchedLock says whether it is locked.
type watchedLock struct{ ownLock }

func (l *watchedLock) IsHeld() bool {
	if l.mu.TryLock() {
		l.mu.Unlock()
		return false
	}
	return true
}
