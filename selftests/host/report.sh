#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# report.sh - in shared mode sbi-pmu-report and the test of the package take events that there are: on
# most boards neither cycles nor instructions. perf, of which they show the errors, is a stand-in.
. "$(dirname "$0")/steps.sh"
pmu=$dir/devices/sbi_pmu
mkdir -p "$pmu/caps" "$dir/bin"
echo shared >"$pmu/caps/mode"
for script in tools/sbi-pmu-report/sbi-pmu-report debian/tests/count; do
	sed "s|/sys/bus/event_source|$dir|" "$top/$script" >"$dir/${script##*/}"
done
for program in modprobe dmesg perf; do printf '#!/bin/sh\n' >"$dir/bin/$program"; done
cat >>"$dir/bin/perf" <<-'EOF2'
	echo "$* " >>"$LOG"
	case $* in *' true') echo "${COUNT-5000},,event,1,100" >count.csv ;; esac
EOF2
chmod 755 "$dir"/bin/*
export LOG="$dir/log" PATH="$dir/bin:$PATH" AUTOPKGTEST_TMP="$dir"

# take EVENT NAME...: of these events both have perf take that.
take() {
	rm -rf "$pmu/events" "$LOG"
	mkdir "$pmu/events"
	for name; do touch "$pmu/events/$name"; done
	for script in count sbi-pmu-report; do
		sh "$dir/$script" >"$dir/said" 2>&1 || fails "$script fails: $(cat "$dir/said")"
		grep -qF -- "-e sbi_pmu/$1/ " "$LOG" && ! grep -q /: "$LOG" || fails "$script does not take $1 of $*: $(cat "$LOG")"
		: >"$LOG"
	done
}

take hw_cycles hw_instructions fw_x a
take hw_instructions fw_x a
take a fw_x b
grep -q '/a/ cannot be sampled' "$dir/said" && ! grep -q 'no overflow' "$dir/said" ||
	fails "it is not told that an event cannot be sampled: $(cat "$dir/said")"
take fw_x
grep -q 'no event to sample' "$dir/said" || fails "it is not told that there is no event"
! COUNT='<not counted>' sh "$dir/count" >/dev/null 2>&1 || fails "an event that is not counted is taken for a count"
exit $failed
