#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# report.sh - sbi-pmu-report finds each board of boards.tsv as expected, and worse if one thing is broken. In
# shared mode it and the test of the package take events that there are: on most boards neither cycles nor
# instructions. The machine is files, and perf, of which they show the errors, a stand-in.
. "$(dirname "$0")/steps.sh"
pmus=$dir/sys/bus/event_source/devices
report=$top/tools/sbi-pmu-report/sbi-pmu-report
mkdir -p "$pmus/sbi_pmu/caps" "$dir/bin" "$dir/proc" "$dir/sys/firmware/devicetree/base" "$dir/sys/module/sbi_pmu/parameters"
echo shared >"$pmus/sbi_pmu/caps/mode"
for script in "$report" "$top/debian/tests/count"; do
	sed "s|/sys/|$dir/sys/|g; s|/proc/|$dir/proc/|g" "$script" >"$dir/${script##*/}"
done
cp "$top/selftests/boards.tsv" "$dir"
touch "$dir/proc/cmdline"
for program in modprobe dmesg perf id uname; do printf '#!/bin/sh\n' >"$dir/bin/$program"; done
echo 'echo 0' >>"$dir/bin/id"
echo 'echo "${MACHINE-riscv64}"' >>"$dir/bin/uname"
echo 'echo "[    0.0] SBI implementation ID=0x1 Version=0x1000${OPENSBI-7}"' >>"$dir/bin/dmesg"
# No task may enter CPU 8.
printf '#!/bin/sh\n[ "$2" != 8 ] && shift 2 && exec "$@"\n' >"$dir/bin/taskset"
# perf: the events of the file refused do not open, all others count; each record is an interrupt. If there is a
# cpu_a100, an event of no PMU is one of each, and only kernels count on CPU 8.
cat >>"$dir/bin/perf" <<'EOF2'
	echo "$* " >>"$LOG"
	case $* in *count.csv*) echo "${COUNT-5000},,event,1,100" >count.csv; exit ;; esac
	while [ $# -gt 0 ]; do
		case $1 in -o) out=$2 ;; -e) events=$2 ;; -C) on=$2 ;; record) kind=record ;; --) break ;; esac
		shift
	done
	[ ! -e "$DIR/refused" ] || [ -z "$out" ] || if [ "$kind" = record ]; then
		echo data >"$out"
		grep -qE 'timer|none' overflow || [ -e silent ] || echo '9: 1 x sbi_pmu' >>"$DIR/proc/interrupts"
	else
		echo "$events" | sed 's|,firmware|;firmware|g' | tr ';,' ',\n' |
			awk -v dir="$DIR" -v on="$on" -v count="${COUNT-50000}" -v a100="${A100-50000}" \
				-v two="$(ls -d ../../cpu_a100 2>/dev/null)" '
			BEGIN { while ((getline < (dir "/refused")) > 0) refused[$0] }
			{ event = $0; n = event in refused ? "<not supported>" : count }
			two != "" && event !~ "/" {
				print "<not counted>;;cpu_a100/" event "/;0;0.00;;"
				event = "cpu/" event "/"
			}
			two != "" && event ~ "^cpu_a100/" {
				n = on == 8 ? (event ~ "/u$" ? 0 : a100) : on == "" ? "<not counted>" : "<not supported>"
			}
			two != "" && on == 8 && event ~ "^cpu/" { n = "<not supported>" }
			{ print n ";;" event ";1;100.00;;" }' >"$out"
		case $* in *sbi_pmu/counters*) shift; exec "$@" ;; esac
	fi
EOF2
chmod 755 "$dir"/bin/*
export DIR="$dir" LOG="$dir/log" PATH="$dir/bin:$PATH" AUTOPKGTEST_TMP="$dir"

run() { sh "$dir/sbi-pmu-report" "$@" >"$dir/said" 2>"$dir/steps"; }

# take EVENT NAME...: of these events both have perf take that.
take() {
	rm -rf "$pmus/sbi_pmu/events" "$LOG"
	mkdir "$pmus/sbi_pmu/events"
	for name; do touch "$pmus/sbi_pmu/events/$name"; done
	for script in count sbi-pmu-report; do
		sh "$dir/$script" >"$dir/said" 2>&1
		case $script,$? in count,0 | sbi-pmu-report,2) ;; *) fails "$script ends wrongly: $(cat "$dir/said")" ;; esac
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
rm -r "$pmus/sbi_pmu"

# ---- exclusive mode: the verdict ----

value() { # LINE [COLUMN]
	awk -F '\t' -v line="$board $1" -v column="${2:-4}" '$1 " " $2 == line { print $column }' "$dir/boards.tsv"
}
as_perf_has_it() { tr ' ' '\n' | sed 's|^\(0x[^:]*\)|\1,firmware=1|; s|^r||; s|:|/|; /\//! s|$|/|; s|^|cpu/event=|'; }

# machine ISA VENDOR ARCH MIMPID NAME...: a machine with cycle and instret, in its folder caps.
machine() {
	rm -rf "$pmus/cpu" && mkdir -p "$pmus/cpu/caps" "$pmus/cpu/events" && cd "$pmus/cpu/caps" || exit
	printf '%s\t: %s\n' processor 0 isa "rv64imac_$1" mvendorid "$2" marchid "$3" mimpid "$4" >"$dir/proc/cpuinfo"
	shift 4
	printf '%s\0' "$@" >"$dir/sys/firmware/devicetree/base/compatible"
	echo exclusive >mode; echo sbi >backend; echo 0 >branches; echo 2 >hardware_counters; echo timer >overflow
	for name in cycles fw_x branches; do echo event=0x1,firmware=0x1 >"../events/$name"; done
	: >"$dir/proc/interrupts"; : >"$dir/refused"
}

# the_board NAME...: $board, with these names in its device tree.
the_board() {
	read -r vendor arch imp _ _ extension _ <<<"$(value machine)"
	machine "$extension" "$vendor" "$arch" "$imp" "$@"
	value machine 3 | tr , '\n' | awk -F - '{ n += $NF - $1 + 1 } END { print n + 2 }' >hardware_counters
	value samples >overflow
	value replaces >replaced_events
	echo x >event_table
	names=$(value names)
	for ((i = 0; i < ${names%% *}; i++)); do echo event=0x1,firmware=0x0 >"../events/name$i"; done
	{ value refuses; value closed; } | as_perf_has_it >"$dir/refused"
}

# is VERDICT WHAT [ARGUMENT...]: this is the verdict, and the exit status fits.
is() {
	verdict=$1 what=$2
	shift 2
	run "$@"
	status=$?
	case $verdict in worse*) [ $status = 1 ] ;; *) [ $status = 0 ] ;; esac && grep -q "^verdict: $verdict" "$dir/said" &&
		! grep -v '^sbi-pmu-report: ' "$dir/steps" ||
		fails "$what: status $status, not '$verdict' but:" "$(sed '1,/^== verdict/d' "$dir/said")" "$(cat "$dir/steps")"
}

# Each board as it is expected, and with one thing broken
while read -r board broken; do
	the_board any,model "$(value compatible | cut -d ' ' -f 1)"
	is 'as expected$' "$board"
	case $broken in
	counters) echo 3 >hardware_counters ;;
	events) echo 0x5 | as_perf_has_it >>"$dir/refused" ;;
	filters) value opens | tr ' ' '\n' | grep : | head -n 1 | as_perf_has_it >>"$dir/refused" ;;
	interrupt) echo none >overflow ;;
	names) rm ../events/name0 ;;
	replaced) echo none >replaced_events ;;
	esac
	is "worse: $broken\$" "$board with broken $broken"
	grep -q "^- $broken: [^ ]" "$dir/said" || fails "$board: it does not say what to do"
	grep -qiw "$board" "$top/Documentation/admin-guide/perf/sbi-pmu-boards.rst" || fails "sbi-pmu-boards.rst: no $board"
done <<-'END'
	d1 counters
	duo events
	th1520 filters
	sg2042 interrupt
	sg2044 names
	eic7700 replaced
	jh7110 interrupt
	fu740 events
	k1 filters
	k3-made-up filters
	k3 counters
END

OPENSBI=6 run; grep -q CVE-2025-63913 "$dir/said" || fails "OpenSBI 1.6: the CVE is not told"
run; ! grep -q CVE "$dir/said" || fails "OpenSBI 1.7: a CVE that it does not have"
board=sg2044; the_board lab,sg2044; : >"$dir/refused"; is 'better: events, filters$' "more events than known"
touch silent; is 'worse: interrupt$' "an interrupt that does not come"
echo timer >"$dir/sys/module/sbi_pmu/parameters/overflow"
is 'worse: interrupt$' "a parameter" && grep -q '^- .* the module has overflow=timer' "$dir/said" || fails "the parameter is not told"
COUNT=0 is 'worse: counts$' "events that count nothing"
COUNT='<not counted>' is 'worse: counts$' "events that are not counted"
the_board new,name; is 'as expected$' "the ids alone"
board=d1; the_board new,name; is 'as expected; .* not in the table' "ids of several boards"
board=eic7700; the_board sifive,fu740-c000 sifive,fu740 eswin,eic7700; is 'as expected$' "a board with names of another one"
machine - 0x1 0x2 0x3 new,name; is 'as expected; .* not in the table' "an unknown board"
# A virtual machine with ACPI, and the ids of its host
board=k1; the_board; mkdir -p "$dir/sys/class/dmi/id"; echo 'KVM Virtual Machine' >"$dir/sys/class/dmi/id/product_name"
is 'as expected; .* not in the table' "a virtual machine with a board's ids"
rm -r "$dir/sys/class"
# Two kinds of cores
machine - 0x1 0x2 0x3 new,name
mkdir -p "$dir/sys/devices/system/cpu" ../../cpu_a100
cp -r ../caps ../events ../../cpu_a100
echo 0-15 >"$dir/sys/devices/system/cpu/online"; echo 0-7 >../cpus; echo 8-15 >../../cpu_a100/cpus
is 'as expected; ' "two kinds of cores"
grep -q '^cpu_a100/cycles/  *50000$' "$dir/said" || fails "an event of the other kind of core is not counted: $(cat "$dir/said")"
A100=0 is 'worse: counts; ' "events of the other kind that count nothing"
rm -r ../../cpu_a100
machine sscofpmf 0x1 0x2 0x3 new,name; is 'worse: interrupt; .* not in the table' "an unknown board with Sscofpmf"
machine smctr_ssctr 0x1 0x2 0x3 new,name; is 'worse: branches; .* not in the table' "an unknown board with Ssctr"
# A server: six programmable counters, beside instret, all of which are on in turn
machine sscofpmf 0x1 0x2 0x3 new,name
touch ../events/e{1..6}
mkdir -p "$dir/sys/kernel/debug/sbi_pmu"
printf '0x2 0x0 2\n0x5 0x0 3-7,8\n' >"$dir/sys/kernel/debug/sbi_pmu/events"
printf '0 %d %#x/64 0x5 0x0 0x0 1\n' 0 0xc00 2 0xc02 3 0xc03 4 0xc04 5 0xc05 6 0xc06 7 0xc07 8 0xc08 >"$dir/sys/kernel/debug/sbi_pmu/counters"
is 'worse: .*tests' "a perf that prints the same count for all" --run "$dir/file"
grep -q "report is in $dir/file" "$dir/said" && [ "$(grep -cE '^(ok|failed|not possible) +[a-z_]+ ' "$dir/file")" = 14 ] &&
	grep -q '^ok *server_counters .*: 6 6 9 9$' "$dir/file" && grep -q '^failed *proportional' "$dir/file" && [ "$(grep -c '^again *proportional' "$dir/file")" = 2 ] &&
	grep -q '^verdict: ' "$dir/file" || fails "--run: $(cat "$dir/file")"

# Why there is no verdict is on the screen, and nobody is asked to send what is about no PMU.
MACHINE=x86_64 run --run "$dir/pc"
[ $? = 2 ] && grep -q 'no 64-bit RISC-V' "$dir/said" && ! grep -q 'send it' "$dir/said" ||
	fails "--run on a PC: $(cat "$dir/said" "$dir/steps")"
echo shared >mode; mv ../../cpu ../../sbi_pmu; run --run "$dir/shared"
[ $? = 2 ] && grep -q '^- shared mode' "$dir/said" && grep -q 'send it' "$dir/said" ||
	fails "--run in shared mode: $(cat "$dir/said" "$dir/steps")"
run --run "$dir/pc"
[ $? = 2 ] && grep -q pc "$dir/steps" && [ ! -s "$dir/said" ] || fails "it writes into a file that is there: $(cat "$dir/said")"
run --run -x
[ $? = 2 ] && [ ! -s "$dir/said" ] && grep -q "wrong option '-x'" "$dir/steps" ||
	fails "--run -x: $(cat "$dir/said")"
exit $failed
