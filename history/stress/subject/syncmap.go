package subject

import (
	"sync"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// syncMaps are sync.Map with its own methods, derived by reflection, and with
// those of the model kv.
func syncMaps() []*Subject {
	reflected, err := stress.Reflect(func() *sync.Map { return &sync.Map{} }, stress.ReflectOptions{
		Name: "sync.Map",
		Core: []string{"Load", "Store", "LoadOrStore", "LoadAndDelete", "Delete", "Swap", "CompareAndSwap", "CompareAndDelete"},
	})
	if err != nil {
		panic("subject: " + err.Error())
	}
	class := reflected.Class
	class.Methods = append(class.Methods, nullary("Range", readOnly|weak, func(m *sync.Map) history.Value { return intMap(syncMapRange(m)) }))
	return append([]*Subject{{Class: class, Doc: "sync.Map, with all its methods; Range is a map of what it visits"}},
		subjects(model{name: "kv"}, syncMapMethods(), variant{
			name: "sync.Map-kv", doc: "sync.Map, with the methods and answers of the model kv",
			new: func() any { return &sync.Map{} },
		})...)
}

func syncMapRange(m *sync.Map) map[int]int {
	snapshot := map[int]int{}
	m.Range(func(key, v any) bool {
		snapshot[key.(int)] = v.(int)
		return true
	})
	return snapshot
}

func syncMapMethods() []*stress.Method {
	return []*stress.Method{
		unary("get", core|readOnly, func(m *sync.Map, key int) history.Value { return anyOrNull(m.Load(key)) }),
		binary("put", core, func(m *sync.Map, key, v int) history.Value { m.Store(key, v); return history.NoValue }),
		unary("remove", core, func(m *sync.Map, key int) history.Value { return anyOrNull(m.LoadAndDelete(key)) }),
		unary("delete", core, func(m *sync.Map, key int) history.Value { m.Delete(key); return history.NoValue }),
		unary("contains", core|readOnly, func(m *sync.Map, key int) history.Value {
			_, ok := m.Load(key)
			return history.BoolValue(ok)
		}),
		ternary("cas", core, func(m *sync.Map, key, old, new int) history.Value {
			return history.BoolValue(m.CompareAndSwap(key, old, new))
		}),
		nullary("clear", 0, func(m *sync.Map) history.Value { m.Clear(); return history.NoValue }),
	}
}

func anyOrNull(v any, ok bool) history.Value {
	if !ok {
		return history.NullValue
	}
	return intValue(v.(int))
}
