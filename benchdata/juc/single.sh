#!/bin/sh
# Records a corpus like benchdata/corpora/juc-single, a file per class and tried.tsv in DIR, with the JDK
# alone:
#
#   sh benchdata/juc/single.sh DIR [SEED [PROGRAMS [EXECUTIONS]]]
#
# Of each non-core method of each class, PROGRAMS programs with one call of it are executed EXECUTIONS times
# each. Labels says which histories are kept and what the columns of tried.tsv are.
set -eu
here=$(dirname "$0") dir=$1 seed=${2:-2026} programs=${3:-800} executions=${4:-400}
mkdir -p "$dir"
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
javac -d "$classes" "$here/Recorder.java" "$here/Labels.java"
printf '%s\t' class method programs executions histories concurrent.executions concurrent.histories \
	bad.executions bad.histories >"$dir/tried.tsv"
echo bad.programs >>"$dir/tried.tsv"
for class in ArrayBlockingQueue ConcurrentHashMap ConcurrentLinkedDeque ConcurrentLinkedQueue ConcurrentSkipListMap \
	ConcurrentSkipListSet LinkedBlockingDeque LinkedBlockingQueue LinkedTransferQueue PriorityBlockingQueue; do
	java -cp "$classes" Recorder --class $class --untrusted all --ops 3-6 --threads 2 --values 2-4 --seed "$seed" \
		--programs "$programs" --executions "$executions" --count 0 |
		java -cp "$classes" Labels --single 10 2>>"$dir/tried.tsv" >"$dir/$class.jsonl"
done
