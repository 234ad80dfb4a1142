// Package violat reads the histories that Violat records: JSON objects with a schema and events.
//
//	{"schema": {"class": "java.util.concurrent.ConcurrentHashMap"}, "events": [
//	  {"kind": "call", "sid": 0, "invocation": {"id": 1, "method": {"name": "get"}, "arguments": [0]}},
//	  {"kind": "return", "sid": 0, "invocation": {"id": 1}, "value": "null"}]}
package violat
