#!/bin/sh
#SBATCH --job-name=leadline
#SBATCH --array=1-10
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --requeue
#
# An array of jobs: each checks one shard of the histories in $IN and writes $OUT/N.jsonl,
# with the lines of leadline check --output json. The number of shards is that of the
# array. A job that is started again goes on with its journal. A history that is not
# linearizable is not a failure of the job: its line and $OUT/N.status (0, 1 or 3) say so. Bad
# input is one: its lines are in N.part.
#
#	IN=/data/in OUT=/data/out sbatch slurm.sh
#
# When all are complete, this gives the lines in the order of the input:
#
#	cd /data/out && paste -d '\n' $(seq -f %g.jsonl 1 10) | grep .
shard=$SLURM_ARRAY_TASK_ID
leadline check --output json --shard "$shard/$SLURM_ARRAY_TASK_COUNT" --resume "$OUT/$shard.journal" "$IN" >"$OUT/$shard.part"
status=$?
case $status in
0|1|3) echo $status >"$OUT/$shard.status" && mv "$OUT/$shard.part" "$OUT/$shard.jsonl";;
*) exit $status;;
esac
