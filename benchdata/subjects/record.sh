#!/usr/bin/env bash
# Makes the corpus benchdata/corpora/go: tests the objects of subjects.txt, and
# records executions of generated programs of three sequences, some hundred of
# each. An hour on two cores that nothing else uses.
set -euo pipefail
cd "$(dirname "$0")"
out=../corpora/go
leadline=$(mktemp -d)/leadline
(cd ../.. && go build -o "$leadline" ./cmd/leadline)
rm -rf "$out" && mkdir -p "$out"

# Violations: the default effort, that is up to two minutes an object.
"$leadline" stress --from subjects.txt --reduce --save "$out/violations" --output json > "$out/results.jsonl" || [ $? = 1 ]

# What the objects answer when several invocations overlap.
while read -r line; do
	case $line in ''|'#'*) continue ;; esac
	name=$(sed -n 's/.*--name \([^ ]*\).*/\1/p' <<< "$line")
	echo "$line" > "$out/one.txt"
	"$leadline" stress --from "$out/one.txt" --time 8s --run 25ms --seed 7 --sequences 3 --min-invocations 5 --max-invocations 9 \
		--save '' --histories "$out/$name.jsonl.zst" --keep 2 > /dev/null || [ $? = 1 ]
done < subjects.txt
rm "$out/one.txt"
