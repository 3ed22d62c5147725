package main

import "sync"

// ordered runs work on several goroutines and hands on what it returned in the
// order in which it was given. After the first error of take nothing more is
// taken, and add and close return it.
type ordered[T any] struct {
	queue chan chan T
	slots chan struct{}
	done  chan struct{}
	once  sync.Once
	mu    sync.Mutex
	err   error
}

func newOrdered[T any](workers int, take func(T) error) *ordered[T] {
	o := &ordered[T]{
		queue: make(chan chan T, workers), slots: make(chan struct{}, workers), done: make(chan struct{}),
	}
	go o.drain(take)
	return o
}

func (o *ordered[T]) drain(take func(T) error) {
	defer close(o.done)
	for result := range o.queue {
		v := <-result
		if o.failed() != nil {
			continue
		}
		if err := take(v); err != nil {
			o.mu.Lock()
			o.err = err
			o.mu.Unlock()
		}
	}
}

func (o *ordered[T]) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// add starts work, when a worker is free.
func (o *ordered[T]) add(work func() T) error {
	result := make(chan T, 1)
	o.slots <- struct{}{}
	o.queue <- result
	go func() {
		result <- work()
		<-o.slots
	}()
	return o.failed()
}

// close waits until everything was taken.
func (o *ordered[T]) close() error {
	o.once.Do(func() { close(o.queue) })
	<-o.done
	return o.failed()
}
