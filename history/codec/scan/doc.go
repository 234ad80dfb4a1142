// Package scan reads what texts of histories are made of: JSON, words, integers and dates. Values
// come from a Pool, so that those that recur are made once. It also writes values as the
// native format has them.
//
//	s := scan.Scanner{Pool: new(scan.Pool)}
//	s.Reset([]byte(`{"key": [1, "x"]}`))
//	v := s.Value(false) // {"key": [1, "x"]}
//	if s.End(); s.Failed() {
//		return fmt.Errorf("byte %d: %s", s.FaultAt+1, s.Fault)
//	}
package scan
