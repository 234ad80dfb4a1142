// Package page tests the pages of package replay/view in a headless Chromium. Without
// a browser its tests are skipped.
package page
