package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Store is a directory of runs.
type Store struct {
	dir   string
	rooms sync.Pool // *[]byte to read segments into
}

// ErrUnsafe says that others could write to the store's directory.
var ErrUnsafe = errors.New("others can write to it")

const (
	runSuffix  = ".ttdiag"
	tempSuffix = ".tmp"
)

// Open returns the store in dir, which is made, for its owner only, where it
// does not exist. It returns ErrUnsafe, wrapped, where dir belongs to somebody
// else or others can write to it.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make store: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("open store: %w", syscall.ENOTDIR)
	}
	if ofOther(info) || info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("open store: %w", ErrUnsafe)
	}
	if info.Mode().Perm() != 0o700 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return nil, fmt.Errorf("open store: %w", err)
		}
	}
	return &Store{dir: dir}, nil
}

// Dir returns the store's directory.
func (s *Store) Dir() string { return s.dir }

func (s *Store) path(name string) string { return filepath.Join(s.dir, name+runSuffix) }

// Runs returns the runs, oldest first, and the names of files that are damaged.
// A run that another process removes meanwhile is left out.
func (s *Store) Runs() (runs []Info, damaged []string, err error) {
	names, err := s.names()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		x, file, err := s.open(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, ErrDamaged):
			damaged = append(damaged, name)
		case err != nil:
			return nil, nil, err
		default:
			runs = append(runs, x.Info)
			file.Close()
		}
	}
	return runs, damaged, nil
}

// names returns the names of the runs, oldest first.
func (s *Store) names() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("list store: %w", err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), runSuffix); ok && e.Type().IsRegular() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// open opens a run's file; the caller closes it.
func (s *Store) open(name string) (*index, *os.File, error) {
	file, err := os.Open(s.path(name))
	if err != nil {
		return nil, nil, fmt.Errorf("open run: %w", err)
	}
	info, err := file.Stat()
	if err == nil {
		var x *index
		if x, err = readIndex(file, info.Size()); err == nil {
			x.Info.Name, x.rooms = name, &s.rooms
			return x, file, nil
		}
	}
	file.Close()
	return nil, nil, fmt.Errorf("run %s: %w", name, err)
}

// Limits say what a store keeps. Zero is no limit.
type Limits struct {
	Age   time.Duration
	Bytes int64
}

// Prune removes runs older than the limit of age, then the oldest until the
// rest is within the limit of size, and what killed runs left behind more than
// a day ago. It returns the runs that it removed.
func (s *Store) Prune(now time.Time, limits Limits) ([]Info, error) {
	if err := s.sweep(now); err != nil {
		return nil, err
	}
	runs, _, err := s.Runs()
	if err != nil {
		return nil, err
	}
	total := int64(0)
	for _, r := range runs {
		total += r.Bytes
	}
	var removed []Info
	for _, r := range runs {
		old := limits.Age > 0 && now.Sub(r.Created) > limits.Age
		large := limits.Bytes > 0 && total > limits.Bytes
		if !old && !large {
			continue
		}
		if err := s.Remove(r.Name); err != nil {
			return removed, err
		}
		total -= r.Bytes
		removed = append(removed, r)
	}
	return removed, nil
}

// Remove removes one run. A run that is not there is no error.
func (s *Store) Remove(name string) error {
	if err := os.Remove(s.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove run: %w", err)
	}
	return nil
}

// Clear removes every run, damaged ones too.
func (s *Store) Clear() (int, error) {
	names, err := s.names()
	if err != nil {
		return 0, err
	}
	for i, name := range names {
		if err := s.Remove(name); err != nil {
			return i, err
		}
	}
	return len(names), nil
}

// sweep removes temporary files of runs that were killed.
func (s *Store) sweep(now time.Time) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("list store: %w", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasSuffix(e.Name(), tempSuffix) || now.Sub(info.ModTime()) < 24*time.Hour {
			continue
		}
		if err := os.Remove(filepath.Join(s.dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove leftover: %w", err)
		}
	}
	return nil
}
