// Package browsertest tests the pages of package view in a headless Chromium. It
// is a module of its own, so that leadline does not depend on what drives the
// browser. Without a browser its tests are skipped.
package browsertest
