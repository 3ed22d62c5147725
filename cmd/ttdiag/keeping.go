package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ttdiag/ingest/store"
	"ttdiag/ingest/timeline"
)

var errNoHome = errors.New("neither TTDIAG_STORE, XDG_STATE_HOME nor HOME is set")

// storeDir returns the directory of the store: the flag, else the environment,
// else the user's state directory.
func storeDir(s std, flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	if dir, ok := s.env("TTDIAG_STORE"); ok && dir != "" {
		return dir, nil
	}
	if dir, ok := s.env("XDG_STATE_HOME"); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, "ttdiag"), nil
	}
	if home, ok := s.env("HOME"); ok && home != "" {
		return filepath.Join(home, ".local", "state", "ttdiag"), nil
	}
	return "", errNoHome
}

// openStore opens the store.
func openStore(s std, flag string) (*store.Store, error) {
	dir, err := storeDir(s, flag)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return store.Open(dir)
}

// keeping writes one run into the store. A nil keeping keeps nothing.
type keeping struct {
	store  *store.Store
	writer *store.Writer
	limits store.Limits
	rows   int64
	sealed chan error // what became of seal; nil before it, and once that is told
}

// beginKeeping starts a run, unless the flags say not to. Where there is no
// directory for a store, nothing is kept and that is said.
func beginKeeping(r *reading, limits store.Limits) (*keeping, error) {
	if r.flags.NoStore {
		return nil, nil
	}
	st, err := openStore(r.s, r.flags.RunStore)
	if errors.Is(err, errNoHome) {
		r.remark("nothing is kept: %v", errNoHome)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w; --no-store keeps nothing", err)
	}
	var names []string
	for _, in := range r.source.Inputs {
		names = append(names, in.Name)
	}
	w, err := st.Begin(r.s.now(), names)
	if err != nil {
		return nil, fmt.Errorf("%w; --no-store keeps nothing", err)
	}
	return &keeping{store: st, writer: w, limits: limits}, nil
}

func (k *keeping) append(b *timeline.Batch) error {
	if k == nil || b == nil {
		return nil
	}
	k.rows += int64(b.Len())
	return k.writer.Append(b)
}

// seal begins to write out what is there: all that is to be kept.
func (k *keeping) seal() {
	if k == nil || k.rows == 0 {
		return
	}
	done := make(chan error, 1)
	k.sealed = done
	go func() { done <- k.writer.Seal() }()
}

// wait returns what became of seal, which may be called without.
func (k *keeping) wait() error {
	if k.sealed == nil {
		return nil
	}
	err := <-k.sealed
	k.sealed = nil
	return err
}

// abort drops the run; after commit it does nothing.
func (k *keeping) abort() {
	if k != nil {
		_ = k.wait() // whether it worked does not matter any more
		k.writer.Abort()
	}
}

// commit makes the run visible, then applies the limits of age and size.
func (k *keeping) commit(r *reading) error {
	if k == nil {
		return nil
	}
	if k.rows == 0 {
		k.abort()
		return nil
	}
	if err := k.wait(); err != nil {
		return err
	}
	info, err := k.writer.Commit()
	if err != nil {
		return err
	}
	removed, err := k.store.Prune(r.s.now(), k.limits)
	if err != nil {
		return err
	}
	for _, run := range removed {
		r.remark("store: removed run %s (%d records) by age or size", run.Name, run.Rows)
	}
	r.remark("store: kept %d records of run %s; ttdiag explain REQUEST-ID", info.Rows, info.Name)
	return nil
}

// storeExists reports whether there is a directory to look into, without making
// one.
func storeExists(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}
