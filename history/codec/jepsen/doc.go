// Package jepsen reads the events of Jepsen's tests, and of tools that write them alike: in EDN, in
// JSON, from the console, and with keys as in porcupine's test data. See the documentation of package
// codec for the formats.
//
//	{:process 0, :type :invoke, :f :write, :value 1}   EDN      jepsen.go, operation.go, edn.go
//	{"process":0,"type":"invoke","f":"write","value":1} JSON     json.go
//	INFO  jepsen.util - 0  :invoke  :write  1           console  console.go
//	                                |
//	                            wordEvents      word_events.go: the events as they are
//	                                |
//	                            order           order.go, restart.go: by index, time or line
//	                                |
//	                            dialect         dialect.go: the words name the model
//	                                |
//	                            history.Event   word.go
//
// All of them collect the events of a history first, since its words and values as a whole
// say what each event means.
package jepsen
