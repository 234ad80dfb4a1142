module github.com/leadline/leadline/benchdata/peers

go 1.26.0

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/leadline/leadline v0.0.0-00010101000000-000000000000
)

require (
	github.com/expr-lang/expr v1.17.8 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
)

replace github.com/leadline/leadline => ../..
