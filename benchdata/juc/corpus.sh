#!/bin/sh
# Records a corpus like benchdata/corpora/juc, a file per class in DIR, with the JDK alone:
#
#   sh benchdata/juc/corpus.sh DIR [SEED [HISTORIES]]
#
# Of each class HISTORIES are recorded in each mode, and of those Select keeps as many as the paper has,
# by c and cp alone. Interleavings differ from run to run, and so will the corpus.
#
# HISTORIES is 20000 by default and must be at least 502: a third of what is kept of ConcurrentSkipListMap.
# Below about 3000, too few of some class are concurrent; the script then ends without a file of that class.
set -eu
if [ $# -eq 0 ] || ! [ "${3:-502}" -ge 502 ] 2>/dev/null; then
	echo "usage: corpus.sh DIR [SEED [HISTORIES]]; HISTORIES is at least 502, and should be 3000 or more" >&2
	exit 2
fi
here=$(dirname "$0") dir=$1 seed=${2:-2026} histories=${3:-20000}
mkdir -p "$dir"
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
javac -d "$classes" "$here/Recorder.java" "$here/Select.java"
while read -r class ops threads; do
	for mode in plain spin yield; do
		java -cp "$classes" Recorder --class "$class" --ops "$ops" --threads "$threads" \
			--mode $mode --seed "$seed" --executions 8 --count "$histories"
		seed=$((seed + 1)) # or the modes would run the same programs
	done | java -cp "$classes" Select --like "$class" --seed "$seed" >"$classes/corpus.jsonl"
	mv "$classes/corpus.jsonl" "$dir/$class.jsonl"
	seed=$((seed + 3)) # the loop above ran in a subshell
done <<END
ArrayBlockingQueue 14 7
ConcurrentHashMap 14 2
ConcurrentLinkedDeque 12 6
ConcurrentLinkedQueue 14 7
ConcurrentSkipListMap 14 7
ConcurrentSkipListSet 18 6
LinkedBlockingDeque 8 4
LinkedBlockingQueue 9 3
LinkedTransferQueue 15 5
PriorityBlockingQueue 14 7
END
