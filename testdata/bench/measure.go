package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// cost is what one process cost.
type cost struct {
	wall, cpu time.Duration // cpu is user and system time
	peak      int64         // resident bytes
}

// measure runs a command and returns its standard output. This process stays
// small, because a child's peak begins with the size of its parent.
func measure(env []string, args ...string) (cost, []byte, error) {
	cmd := exec.Command(args[0], args[1:]...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	cmd.Env = append(os.Environ(), env...)
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return cost{}, nil, fmt.Errorf("%s: %w: %s", args[0], err, complaint.Bytes())
	}
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return cost{
		wall: wall, cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peak: used.Maxrss << 10,
	}, out.Bytes(), nil
}

// pair is one run of ttdiag and one of its peer, one right after the other.
type pair struct{ ours, theirs cost }

// medianOf returns the median of what f says of each.
func medianOf[T any](list []T, f func(T) float64) float64 {
	var values []float64
	for _, one := range list {
		values = append(values, f(one))
	}
	slices.Sort(values)
	return (values[len(values)/2] + values[(len(values)-1)/2]) / 2
}

func wallRatio(p pair) float64 { return p.ours.wall.Seconds() / p.theirs.wall.Seconds() }
func cpuRatio(p pair) float64  { return p.ours.cpu.Seconds() / p.theirs.cpu.Seconds() }

// report prints the medians of both sides, and the ratios pair by pair.
func reportPairs(title, ours, theirs string, pairs []pair) {
	fmt.Printf("\n%s\n", title)
	row := func(name string, of func(pair) cost) {
		fmt.Printf("  %-28s wall %7.3f s   cpu %7.3f s   peak %6.0f MB\n", name,
			medianOf(pairs, func(p pair) float64 { return of(p).wall.Seconds() }),
			medianOf(pairs, func(p pair) float64 { return of(p).cpu.Seconds() }),
			medianOf(pairs, func(p pair) float64 { return float64(of(p).peak) / 1e6 }))
	}
	row(ours, func(p pair) cost { return p.ours })
	row(theirs, func(p pair) cost { return p.theirs })
	fmt.Printf("  ratio of wall times: median %.2f  (", medianOf(pairs, wallRatio))
	for i, p := range pairs {
		if i > 0 {
			fmt.Print(" ")
		}
		fmt.Printf("%.2f", wallRatio(p))
	}
	fmt.Printf("); of cpu: median %.2f\n", medianOf(pairs, cpuRatio))
}

// inTurn runs both sides n times in turn, after one run of each that warms the
// page cache and is not counted.
func inTurn(n int, ours, theirs func() (cost, error)) ([]pair, error) {
	var pairs []pair
	for i := range n + 1 {
		var p pair
		var err error
		if p.ours, err = ours(); err != nil {
			return nil, err
		}
		if p.theirs, err = theirs(); err != nil {
			return nil, err
		}
		if i > 0 {
			pairs = append(pairs, p)
		}
	}
	return pairs, nil
}
