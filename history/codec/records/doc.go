// Package records reads records of other programs by a mapping: JSON objects, tables, lines of
// NAME=VALUE, columns. The notation of a mapping is in the documentation of package codec.
//
//	reading.go                                   which kind the records are of
//	records.go nested.go tables.go text_lines.go  a record into the fields that expressions name
//	environment.go                               the fields of the record, and values from them
//	mapping.go expression.go                     a mapping, compiled
//	fields.go functions.go stamps.go             what its expressions have
//	mapped.go                                    a record into an event or an operation
//	pairing.go clocks.go                         which events belong together, and in which order
//	recordfaults.go doubts.go                    faults and warnings
//	bounds.go                                    what an expression may do for one record
//	survey.go                                    the fields of records, to write a mapping
//	preset.go                                    S2's records, by a mapping
//
// The example is a log of two operations.
//
//	format, err := records.Format(`process=who, f=what, args=key, call=begin, return=end`)
//	if err != nil {
//		return err
//	}
//	log := "who,what,key,begin,end\nann,get,k,1,4\nbob,put,k,2,3\n"
//	for h, err := range format.Decode(strings.NewReader(log), "log.csv", decode.Limits{}) {
//		...
//	}
package records
