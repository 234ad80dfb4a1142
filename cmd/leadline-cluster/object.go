package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// An objectFS is the file system of the buckets of the object store: the path a/b/c
// is the object b/c of the bucket a. A bucket is listed once.
type objectFS struct {
	ctx     context.Context
	js      jetstream.JetStream
	buckets map[string]*bucket
}

// A bucket has the objects and directories of a bucket, by their paths.
type bucket struct {
	store jetstream.ObjectStore
	nodes map[string]*node
}

// A node is an object or a directory. It is its own fs.FileInfo and fs.DirEntry.
type node struct {
	name     string
	object   *jetstream.ObjectInfo // nil for a directory
	children []fs.DirEntry
}

func newObjectFS(ctx context.Context, js jetstream.JetStream) *objectFS {
	return &objectFS{ctx, js, map[string]*bucket{}}
}

func (n *node) Name() string               { return n.name }
func (n *node) IsDir() bool                { return n.object == nil }
func (n *node) Type() fs.FileMode          { return n.Mode().Type() }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }
func (n *node) Sys() any                   { return nil }

func (n *node) Mode() fs.FileMode {
	if n.object == nil {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

func (n *node) Size() int64 {
	if n.object == nil {
		return 0
	}
	return int64(n.object.Size)
}

func (n *node) ModTime() time.Time {
	if n.object == nil {
		return time.Time{}
	}
	return n.object.ModTime
}

// list reads which objects a bucket has.
func (o *objectFS) list(name string) (*bucket, error) {
	if b, ok := o.buckets[name]; ok {
		return b, nil
	}
	store, err := o.js.ObjectStore(o.ctx, name)
	if err != nil {
		if errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrInvalidStoreName) {
			err = fmt.Errorf("%w: no such bucket", fs.ErrNotExist)
		}
		return nil, err
	}
	objects, err := store.List(o.ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		return nil, err
	}
	b := &bucket{store, map[string]*node{".": {name: name}}}
	for _, object := range objects {
		if err := b.add(object); err != nil {
			return nil, err
		}
	}
	for _, n := range b.nodes {
		slices.SortFunc(n.children, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	o.buckets[name] = b
	return b, nil
}

// add adds an object and the directories that lead to it.
func (b *bucket) add(object *jetstream.ObjectInfo) error {
	if !fs.ValidPath(object.Name) || object.Name == "." {
		return fmt.Errorf("the name of the object %q is not a path", object.Name)
	}
	n := &node{name: path.Base(object.Name), object: object}
	for at := object.Name; ; at = path.Dir(at) {
		if old := b.nodes[at]; old != nil && (n.object != nil || old.object != nil) {
			return fmt.Errorf("%q is an object and a directory", at)
		}
		b.nodes[at] = n
		dir := path.Dir(at)
		if parent := b.nodes[dir]; parent != nil && parent.object == nil {
			parent.children = append(parent.children, n)
			return nil
		}
		n = &node{name: path.Base(dir), children: []fs.DirEntry{n}}
	}
}

// find returns what a path names.
func (o *objectFS) find(op, name string) (*bucket, *node, error) {
	err := fs.ErrInvalid
	if fs.ValidPath(name) && name != "." {
		first, rest, _ := strings.Cut(name, "/")
		if rest == "" {
			rest = "."
		}
		var b *bucket
		if b, err = o.list(first); err == nil {
			if n := b.nodes[rest]; n != nil {
				return b, n, nil
			}
			err = fs.ErrNotExist
		}
	}
	return nil, nil, &fs.PathError{Op: op, Path: name, Err: err}
}

func (o *objectFS) Stat(name string) (fs.FileInfo, error) {
	_, n, err := o.find("stat", name)
	if err != nil {
		return nil, err
	}
	return n, nil
}

func (o *objectFS) ReadDir(name string) ([]fs.DirEntry, error) {
	_, n, err := o.find("readdir", name)
	if err == nil && n.object != nil {
		err = &fs.PathError{Op: "readdir", Path: name, Err: errors.New("not a directory")}
	}
	if err != nil {
		return nil, err
	}
	return slices.Clone(n.children), nil
}

func (o *objectFS) Open(name string) (fs.File, error) {
	b, n, err := o.find("open", name)
	if err != nil {
		return nil, err
	}
	if n.object == nil {
		return &directory{node: n}, nil
	}
	r, err := b.store.Get(o.ctx, n.object.Name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &object{r, n}, nil
}

// An object is an open object.
type object struct {
	jetstream.ObjectResult
	node *node
}

func (o *object) Stat() (fs.FileInfo, error) { return o.node, nil }

// A directory is an open directory.
type directory struct {
	node *node
	read int
}

func (d *directory) Stat() (fs.FileInfo, error) { return d.node, nil }
func (d *directory) Close() error               { return nil }
func (d *directory) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.node.name, Err: errors.New("is a directory")}
}

func (d *directory) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := d.node.children[d.read:]
	if n > 0 && len(rest) == 0 {
		return nil, io.EOF
	}
	if n > 0 && n < len(rest) {
		rest = rest[:n]
	}
	d.read += len(rest)
	return slices.Clone(rest), nil
}
