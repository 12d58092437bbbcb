#!/bin/sh
# Run each fuzz target for a while: run.sh CORPUS SECONDS TARGET...  in the build tree.
# Leaves fuzz/NAME.log and a result as automake's test drivers write it, fuzz/NAME.trs.
corpus=$1
seconds=$2
shift 2
status=0
mkdir -p fuzz
for target in "$@"; do
	name=${target##*/fuzz_}
	result=PASS
	mkdir -p "fuzz/$name"
	"./$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="fuzz/$name-" "fuzz/$name" "$corpus/$name" \
		>"fuzz/$name.log" 2>&1 || result=FAIL
	if [ $result = FAIL ]; then
		status=1
		cat "fuzz/$name.log" >&2
	fi
	printf ':test-result: %s fuzz %s for %s s\n' $result "$name" "$seconds" >"fuzz/$name.trs"
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "fuzz/$name.log")
	echo "$result: fuzz $name for $seconds s, ${runs:-?} inputs"
done
exit $status
