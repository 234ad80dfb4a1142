package values

// Mark encloses the import path where Go source needs the name of a package.
const Mark = "\x00"
