# Makes the tables of README.md from the output of leadline stress --output json:
#
#	jq -rs --arg table violations -f tables.jq ../corpora/go/results.jsonl
#	jq -rs --arg table methods -f tables.jq ../corpora/go/results.jsonl
#	jq -rs --arg table reduced -f tables.jq ../corpora/go/results.jsonl ../corpora/go/reduced.jsonl
#
# The last table has the reduced programs; leadline's README has a part of it.

def row: "| " + join(" | ") + " |";
def code: "`" + gsub("\\|"; "\\|") + "`";
def seconds: . / 1e9 | if . < 10 then . * 100 | round / 100 else round end | "\(.) s";

def blamed: if .method == "" then "-" else .method end;
def times: "\(.times)/\(.executions)";
def answered: (.outcome | code) + if .real_time then " (real time)" else "" end;

def violations:
	["object", "method", "i,s,v", "programs", "program", "outcome", "frequency", "after"], [range(8) | "---"],
	(.[] | select(.kind == "violation") |
		[.subject, blamed, (.rank | join(",")), "\(.explored)", (.program | code),
			answered, times, (.elapsed_ns | seconds)]);

def methods:
	[.[] | select(.kind == "violation" and .method == "") | .subject] as $wrong |
	["object", "core", "atomic (?)", "not atomic", "weak"], [range(5) | "---"],
	(.[] | select(.kind == "object") | .subject as $name | (.non_atomic // [] | join(" ")) as $methods |
		[$name, (.core // [] | join(" ")), (.atomic // [] | join(" ")),
			(if $wrong | index($name) | not then $methods elif $methods == "" then "the core" else "the core; " + $methods end),
			(.weak // [] | join(" "))]);

def reduced:
	map(select(.from)) as $reduced |
	["object", "method", "found after", "programs", "reduced program", "outcome", "frequency"], [range(7) | "---"],
	(.[] | select(.kind == "violation" and (.from | not)) | . as $v |
		([$reduced[] | select(.subject == $v.subject and .from == $v.program)] | first // $v) as $r |
		[.subject, blamed, (.elapsed_ns | seconds), "\(.explored)",
			($r.program | code) + if .method != "" and $r.method == "" then " (the core alone)" else "" end,
			($r | answered), ($r | times)]);

if $table == "methods" then methods elif $table == "reduced" then reduced else violations end | row
