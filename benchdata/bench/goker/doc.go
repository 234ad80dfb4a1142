// Package goker measures leadline explore on GoKer, the 103 kernels of real concurrency bugs in
// github.com/timmyyuan/gobench. Nothing of the suite is in this repository: the tests take the folder
// gobench/goker of a checkout, and are skipped without it.
//
//	places.tsv    written by hand: the lines of each kernel where its documented bug shows
//	mended.txt    written by hand: the lines that mend some kernels
//	goker.jsonl   what explore, go test and the leak profile report of each kernel
//	mended.jsonl  what explore reports of the mended kernels
//
// The README has the figures and the commands.
package goker
