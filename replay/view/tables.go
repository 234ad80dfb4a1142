package view

import (
	"html/template"
	"io"
	"sync"
)

// A Table is a table of text.
type Table struct {
	Title  string
	Header []string
	Rows   [][]string
}

// WriteTables writes a page with tables, and lines below them. It has no script, and no network.
func WriteTables(w io.Writer, title string, tables []Table, remarks []string) error {
	return tablesPage().Execute(w, struct {
		Title   string
		Tables  []Table
		Remarks []string
	}{title, tables, remarks})
}

var tablesPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("tables").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>{{.Title}}</title>
<style>
body { font: 15px/1.5 sans-serif; margin: 2em; }
table { border-collapse: collapse; font-family: monospace; }
th, td { border: 1px solid #999; padding: 0.2em 0.6em; text-align: left; }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
{{range .Tables}}<h2><code>{{.Title}}</code></h2>
<table>
<tr>{{range .Header}}<th>{{.}}</th>{{end}}</tr>
{{range .Rows}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>
{{end}}</table>
{{end}}{{range .Remarks}}<p>{{.}}</p>
{{end}}</body>
</html>
`))
})
