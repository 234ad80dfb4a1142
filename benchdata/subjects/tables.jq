# Makes README.md's tables from what leadline stress --output json wrote:
#
#	jq -rs --arg table violations -f tables.jq ../corpora/go/results.jsonl
#	jq -rs --arg table methods -f tables.jq ../corpora/go/results.jsonl

def row: "| " + join(" | ") + " |";
def code: "`" + gsub("\\|"; "\\|") + "`";
def seconds: . / 1e9 | if . < 10 then . * 100 | round / 100 else round end | "\(.) s";

def violations:
	["object", "method", "i,s,v", "programs", "program", "outcome", "frequency", "after"], [range(8) | "---"],
	(.[] | select(.kind == "violation") |
		[.subject, (if .method == "" then "-" else .method end), (.rank | join(",")), "\(.explored)", (.program | code),
			(.outcome | code) + if .real_time then " (real time)" else "" end, "\(.times)/\(.executions)", (.elapsed_ns | seconds)]);

def methods:
	[.[] | select(.kind == "violation" and .method == "") | .subject] as $wrong |
	["object", "core", "atomic (?)", "not atomic", "weak"], [range(5) | "---"],
	(.[] | select(.kind == "object") | .subject as $name | (.non_atomic // [] | join(" ")) as $methods |
		[$name, (.core // [] | join(" ")), (.atomic // [] | join(" ")),
			(if $wrong | index($name) | not then $methods elif $methods == "" then "the core" else "the core; " + $methods end),
			(.weak // [] | join(" "))]);

if $table == "methods" then methods else violations end | row
