module github.com/leadline/leadline/replay/batch/schematest

go 1.26.0

require (
	github.com/leadline/leadline v0.0.0-00010101000000-000000000000
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.2
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	golang.org/x/text v0.14.0 // indirect
)

replace github.com/leadline/leadline => ../../..
