package ingest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"ttdiag/ingest/source"
)

// Input is one input and the account of it. The account grows while results are
// taken and is complete once the sequence has ended.
type Input struct {
	Name        string // as named, or found; "-" is standard input
	Format      *source.Format
	Confidence  source.Confidence // 0 where the format was forced
	Compression string            // "gzip", "zstd", "gzip, xz", …; "" is none
	Wrapper     string            // what was taken off each line; "" is nothing
	Found       string            // what the beginning holds, in words of shape only
	Bytes       int64             // as it lies on disk

	// Lines = Records + Rejected + Blank + Joined. A line is what the format
	// has: of a document, an entry. A NUL hole between lines counts as one.
	Lines    int64
	Records  int64
	Rejected int64
	Blank    int64
	Joined   int64 // lines that are part of another line's record
	Reasons  map[source.Reason]int64

	// Err says why nothing of the input was read: an *Unrecognised, or an error
	// of a reader that needs the whole of it. Other inputs are read all the same.
	Err error

	file string       // path to open; "" is standard input
	raws atomic.Int64 // bytes read of the file
}

// find resolves names to inputs, sorted within a directory or a glob. A file that
// is named twice is read once.
func find(req *Request) (inputs []*Input, repeated []string, err error) {
	seen := seenFiles{}
	for _, name := range req.Names {
		files, err := resolve(name)
		if err != nil {
			return nil, nil, err
		}
		for _, file := range files {
			info, err := stat(file)
			if err != nil {
				return nil, nil, err
			}
			if seen.again(info) {
				repeated = append(repeated, file)
				continue
			}
			in := &Input{Name: file, Reasons: map[source.Reason]int64{}}
			if file != "-" {
				in.file = file
			}
			inputs = append(inputs, in)
		}
	}
	return inputs, repeated, nil
}

// stat returns nil for standard input.
func stat(name string) (fs.FileInfo, error) {
	if name == "-" {
		return nil, nil
	}
	return os.Stat(name)
}

// seenFiles are the files found so far, by what tells most of them apart.
type seenFiles map[fileKey][]fs.FileInfo

type fileKey struct {
	size     int64
	modified time.Time
}

// again reports whether the file was found before; what is no plain file can be
// read again, but not standard input, which is nil.
func (s seenFiles) again(info fs.FileInfo) bool {
	key := fileKey{size: -1}
	if info != nil {
		if !info.Mode().IsRegular() {
			return false
		}
		key = fileKey{info.Size(), info.ModTime()}
	}
	for _, old := range s[key] {
		if info == nil || os.SameFile(old, info) {
			return true
		}
	}
	s[key] = append(s[key], info)
	return false
}

// ErrNoFiles says that a directory holds no file to read.
var ErrNoFiles = errors.New("no files in it")

func resolve(name string) ([]string, error) {
	if name == "-" {
		return []string{name}, nil
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		files, err := walk(name)
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s: %w", name, ErrNoFiles)
		}
		return files, err
	case err == nil:
		return []string{name}, nil
	case !strings.ContainsAny(name, "*?["):
		return nil, err
	}
	found, globErr := filepath.Glob(name)
	if globErr != nil {
		return nil, fmt.Errorf("glob %s: %w", name, globErr)
	}
	var files []string
	for _, f := range found {
		info, err := os.Stat(f)
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			continue // a link to nowhere, a pipe, as in a directory
		}
		some, err := resolve(f)
		if err != nil && !errors.Is(err, ErrNoFiles) {
			return nil, err
		}
		files = append(files, some...)
	}
	if len(files) == 0 {
		return nil, err
	}
	return files, nil
}

// walk lists the regular files of a directory, without hidden ones.
func walk(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != dir && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.Type().IsRegular():
			files = append(files, path)
		case d.Type()&fs.ModeSymlink != 0:
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				files = append(files, path)
			}
		}
		return nil
	})
	return files, err
}

// raw opens the bytes of the input as they lie.
func (in *Input) raw(req *Request) (io.ReadCloser, error) {
	if in.file != "" {
		return os.Open(in.file)
	}
	if req.Stdin == nil {
		return io.NopCloser(strings.NewReader("")), nil
	}
	return io.NopCloser(req.Stdin), nil
}
