package files

import "io/fs"

// A File is a file that a walk found.
type File struct {
	Name string // the path, or "-"
	opts *Options
	in   *Input // a stream or a member of an archive, which is already open; or nil
}

// Size returns how many bytes the file has, as it is stored, and 0 for a stream and a member of an
// archive.
func (f File) Size() int64 {
	if f.in == nil {
		if info, err := fs.Stat(f.opts.fileSystem(), f.Name); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return 0
}

// Input opens the file, decompressed. Each call opens it anew, so that several may read it at the
// same time. Standard input, pipes and members of archives can be read once, and only until the
// next file is drawn from the walk.
func (f File) Input() (*Input, error) {
	if f.in != nil {
		return f.in, nil
	}
	r, err := f.opts.openFile(f.Name)
	if err != nil {
		return nil, fault(f.Name, err)
	}
	in, err := decompress(NewInput(r), f.opts.Limits)
	if err != nil {
		r.Close()
		return nil, err
	}
	in.closer, in.context = r, f.opts.Context
	return in, nil
}
