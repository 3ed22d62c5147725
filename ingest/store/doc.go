// Package store keeps timeline batches on disk and finds them again by request
// id. It holds metadata only, because there is nothing else in a batch.
//
// A store is a directory that only its owner can enter. Each run is one
// immutable file in it, written beside and renamed into place after a sync, so
// that a kill at any moment leaves the old state or the new one, and two runs at
// once do not see each other.
//
// A run's file is a sequence of segments of up to [timeline.BatchRows] rows,
// then an index. A segment is one Arrow IPC stream: schema, dictionaries, one
// record batch. Each segment has its own schema, so that columns nobody recorded
// cost nothing and numbers take the width they need: a numeric field holds
// (value − base) / scale in an unsigned integer of 8, 16 or 32 bits, base and
// scale standing in the field's metadata, or the value itself in 64 bits.
// The index holds the place of each segment, its rows, its range of time and a
// filter over its request ids.
//
// Note: one Arrow IPC *file* per run would need every dictionary before its
// first record batch, because that format has no dictionary deltas in Go, and
// with it all labels of a run in memory.
package store
