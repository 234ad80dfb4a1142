package runtime

import (
	"runtime"
	"unsafe"
)

type (
	BlockProfileRecord = runtime.BlockProfileRecord
	Cleanup            = runtime.Cleanup
	Error              = runtime.Error
	Frame              = runtime.Frame
	Frames             = runtime.Frames
	Func               = runtime.Func
	MemProfileRecord   = runtime.MemProfileRecord
	MemStats           = runtime.MemStats
	PanicNilError      = runtime.PanicNilError
	Pinner             = runtime.Pinner
	StackRecord        = runtime.StackRecord
	TypeAssertionError = runtime.TypeAssertionError
)

const (
	Compiler = runtime.Compiler
	GOARCH   = runtime.GOARCH
	GOOS     = runtime.GOOS
)

func BlockProfile(p []BlockProfileRecord) (n int, ok bool) { return runtime.BlockProfile(p) }
func Breakpoint()                                          { runtime.Breakpoint() }
func CallersFrames(callers []uintptr) *Frames              { return runtime.CallersFrames(callers) }
func FuncForPC(pc uintptr) *Func                           { return runtime.FuncForPC(pc) }
func Goexit()                                              { runtime.Goexit() }
func GoroutineProfile(p []StackRecord) (n int, ok bool)    { return runtime.GoroutineProfile(p) }
func KeepAlive(x any)                                      { runtime.KeepAlive(x) }
func MemProfile(p []MemProfileRecord, inuseZero bool) (n int, ok bool) {
	return runtime.MemProfile(p, inuseZero)
}
func MutexProfile(p []BlockProfileRecord) (n int, ok bool) { return runtime.MutexProfile(p) }
func NumCgoCall() int64                                    { return runtime.NumCgoCall() }
func ReadMemStats(m *MemStats)                             { runtime.ReadMemStats(m) }
func ReadTrace() (buf []byte)                              { return runtime.ReadTrace() }
func SetBlockProfileRate(rate int)                         { runtime.SetBlockProfileRate(rate) }
func SetCPUProfileRate(hz int)                             { runtime.SetCPUProfileRate(hz) }
func SetCgoTraceback(version int, traceback unsafe.Pointer, context unsafe.Pointer, symbolizer unsafe.Pointer) {
	runtime.SetCgoTraceback(version, traceback, context, symbolizer)
}
func SetMutexProfileFraction(rate int) int                 { return runtime.SetMutexProfileFraction(rate) }
func Stack(buf []byte, all bool) int                       { return runtime.Stack(buf, all) }
func StartTrace() error                                    { return runtime.StartTrace() }
func StopTrace()                                           { runtime.StopTrace() }
func ThreadCreateProfile(p []StackRecord) (n int, ok bool) { return runtime.ThreadCreateProfile(p) }
func Version() string                                      { return runtime.Version() }
