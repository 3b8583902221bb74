#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants.sh NUMBER SEED STEPS FILE... - plant NUMBER changes in FILEs of the driver, one line at a
# time, and say which no host test notices. What does not compile is not counted, nor what changes
# nothing, as mutants.tsv says: the file, the line as changed, why. For make mutants.
number=$1 seed=$2 steps=$3
shift 3
driver=../../drivers/perf/sbi_pmu
out=build/mutants

# build DIR OUT [OPTION]: the tests of this copy
build() { make -s driver="$1/sbi_pmu" OUT="$1/$2" WERROR= ${3:+"$3"} programs >"$1/log" 2>&1; }

# run_tests PROGRAM: up to the first that fails or hangs.
run_tests() {
	(timeout 300 "$1" "$steps") 2>/dev/null |
		awk '/^not ok/ { exit } /^1\.\./ { done = 1; exit } END { exit !done }'
}

build_quick() { build "$1" quick SANITIZE=-O1; }

# Without sanitizers first, as that takes a fifth of the time
passes() { run_tests "$1/quick/test" && build "$1" build && run_tests "$1/build/test"; }

# try DIR FILE LINE: plant $TEXT there.
try() {
	copy=$1/sbi_pmu/${2#"$driver"/}
	why=$(awk -F '\t' -v f="${2#"$driver"/}" '$1 == f && $2 == ENVIRON["TEXT"] { print $3 }' mutants.tsv)
	awk -v line="$3" 'FNR == line { $0 = ENVIRON["TEXT"] } 1' "$2" >"$copy"
	if [ -n "$why" ]; then
		result="equivalent: $why"
	elif ! build_quick "$1"; then
		result="not compiled"
	elif passes "$1"; then
		result=survived
		printf '%s:%s\n-%s\n+%s\n' "${2#../../}" "$3" "$(sed -n "$3p" "$2")" "$TEXT" >&2
	else
		result=caught
	fi
	cp "$2" "$copy"
}

# work JOB: every jobs-th change, in a copy of the driver.
work() {
	dir=$PWD/$out/$1
	mkdir "$dir"
	cp -R $driver "$dir"
	build_quick "$dir" && passes "$dir" || { echo failed; return; }
	awk -v jobs="$jobs" -v job="$1" 'NR % jobs + 1 == job' $out/changes |
		while IFS="$(printf '\t')" read -r file line TEXT; do
			export TEXT
			try "$dir" "$file" "$line"
			printf '%s\t%s:%s\n' "$result" "$file" "$line"
		done
}

echo "seed $seed, $steps steps"
rm -rf $out && mkdir -p $out
awk -v seed="$seed" -f mutants.awk "$@" | head -n "$number" >$out/changes
jobs=$(nproc)
for job in $(seq "$jobs"); do work "$job" >$out/$job.done & done
wait
awk -F '\t' '
	{ n[$1]++; if (/^equivalent/) print $2 " " $1 }
	END {
		if (n["failed"]) print "the tests fail without a change"
		all = n["caught"] + n["survived"]
		printf "%d planted, %d caught, %d survived (%.0f %%)\n", all, n["caught"],
			n["survived"], 100 * n["survived"] / (all ? all : 1)
		exit n["failed"]
	}' $out/*.done
