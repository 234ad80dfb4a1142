#!/usr/bin/env bash
# Adds to the corpus benchdata/corpora/go. It tests the objects of a file like
# subjects.txt for a time each and reduces the programs that had violations. It
# also records some hundred executions per object of generated programs of three
# sequences. It needs two cores that nothing else uses.
#
#	record.sh FILE TIME
set -euo pipefail
file=$(realpath "$1") time=$2
cd "$(dirname "$0")"
out=../../corpora/go
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
(cd ../../.. && go build -o "$tmp/leadline" ./cmd/leadline)
mkdir -p "$out"

"$tmp/leadline" stress --from "$file" --time "$time" --save "$tmp/violations" --output json > "$tmp/results" || [ $? = 1 ]
jq -c 'del(.history, .file)' "$tmp/results" >> "$out/results.jsonl"
cat "$tmp"/violations/*.jsonl >> "$out/violations.jsonl" || true

# The reduced programs. Each runs for 20 times as long as its violation took.
jq -r 'select(.kind == "violation") | "\(.subject)\t\(.program)\t\([20 * .spent_ns / .times / 1e6, 50] | max | ceil)ms"' "$tmp/results" | while IFS=$'\t' read -r name program time; do
	read -ra flags <<< "$(grep -e "--name $name " "$file")"
	"$tmp/leadline" stress "${flags[@]}" --program "$program" --run "$time" --save '' --output json < /dev/null |
		jq -c --arg from "$program" 'select(.kind == "violation") | del(.history, .file) | .from = $from' >> "$out/reduced.jsonl" || true
done

while read -r line; do
	case $line in '' | '#'*) continue ;; esac
	name=$(sed -n 's/.*--name \([^ ]*\).*/\1/p' <<< "$line")
	echo "$line" > "$tmp/one.txt"
	"$tmp/leadline" stress --from "$tmp/one.txt" --time 3s --run 20ms --seed 7 --sequences 3 --max-invocations 7 \
		--save '' --histories "$out/$name.jsonl.zst" > /dev/null || [ $? = 1 ]
	# An object with an immediate violation leaves too few.
	if [ "$(zstd -dc "$out/$name.jsonl.zst" | grep -c '^{"leadline"')" -lt 100 ]; then rm "$out/$name.jsonl.zst"; fi
done < "$file"
