// Package io replaces io in instrumented code. A Pipe has locks and conditions with hooks: the real one waits for
// channels that the scheduler does not see.
//
//	r, w := io.Pipe()
//	go func() { w.Write(text); w.Close() }()
//	io.Copy(out, r)
package io
