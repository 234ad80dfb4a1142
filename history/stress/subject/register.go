package subject

import (
	"sync/atomic"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// A casRegister holds one number, at first 0.
type casRegister interface {
	read() int
	write(v int)
	cas(old, new int) bool
}

func registers() []*Subject {
	return subjects(model{"cas-register", []history.Value{history.IntValue(0)}}, []*stress.Method{
		nullary("read", core|readOnly, func(r casRegister) history.Value { return intValue(r.read()) }),
		unary("write", core, func(r casRegister, v int) history.Value { r.write(v); return history.NoValue }),
		binary("cas", core, func(r casRegister, old, new int) history.Value { return history.BoolValue(r.cas(old, new)) }),
	}, variant{
		name: "cas-register", doc: "an atomic register with compare-and-set",
		new: func() any { return &atomicRegister{} },
	}, variant{
		name: "cas-register-broken", doc: "a register that compares, then sets",
		new: func() any { return &hastyRegister{} }, twin: "cas-register",
	})
}

type atomicRegister struct{ v atomic.Int64 }

func (r *atomicRegister) read() int   { return int(r.v.Load()) }
func (r *atomicRegister) write(v int) { r.v.Store(int64(v)) }
func (r *atomicRegister) cas(old, new int) bool {
	return r.v.CompareAndSwap(int64(old), int64(new))
}
