// Package schematest tests the reports of package batch against the schemas of their
// formats. It is a module of its own, so that its users need no validator.
//
// The schemas come from the network, or from the directory that the environment
// variable SCHEMAS names; without them, the tests are skipped. The one of JUnit also
// needs xmllint.
package schematest
