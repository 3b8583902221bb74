#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# abi.sh - Documentation/ABI has each file that the sources make in sysfs, in debugfs and in
# /proc/sys, and no others. What a loaded module has is compared by selftests/guest/abi.
. "$(dirname "$0")/steps.sh"
pmu='/sys/bus/event_source/devices/<pmu>'

# An attribute is in the folder that its array is named after ("caps_attrs"); those of cpus_attrs
# have none. The names of events are in arrays of their own: the folder has one entry.
in_sources() { # FOLDER
	find "$1" -name '*.[ch]' -exec awk -v pmu="$pmu" '
		function name_of(line) { gsub(/^[^(]*\(|[,)].*$|"/, "", line); return line }
		/^static struct attribute \*[a-z]*_attrs\[\]/ {
			folder = $4
			sub(/^\*/, "", folder)
			sub(/_attrs.*/, "", folder)
			folder = folder == "cpus" ? "/" : "/" folder "/"
		}
		/&dev_attr_/ && folder != "" {
			sub(/^[ \t]*&dev_attr_/, "")
			sub(/\.attr.*/, "")
			print pmu folder $0
		}
		/^\tSBI_PMU_FORMAT\(/ { print pmu "/format/" name_of($0) }
		/\.name = "events"/ { print pmu "/events/<event>" }
		/^};/ { folder = "" }
		/debugfs_create_file\(/ { print "/sys/kernel/debug/sbi_pmu/" name_of($0) }
		/\.procname = / { gsub(/.* = "|",/, ""); print "/proc/sys/kernel/" $0 }
		/^module_param(_named)?\(/ { print "/sys/module/sbi_pmu/parameters/" name_of($0) }
		' {} + | sort -u
}

in_abi() { sed -n 's/^What:[[:space:]]*//p' "$1"/*/* | sort; }

in_sources "$top/drivers/perf/sbi_pmu" >"$dir/sources"
in_abi "$top/Documentation/ABI" >"$dir/abi"
diff "$dir/sources" "$dir/abi" >"$dir/diff" ||
	fails "$(sed -n "s,^< ,not in Documentation/ABI: ,p; s,^> ,in no source\, or twice in Documentation/ABI: ,p" "$dir/diff")"
# Each entry has the lines of the kernel's README of this folder.
awk '
	/^[A-Z][A-Za-z]*:/ { lines = lines " " $1 }
	/^Description:/ {
		if (lines !~ /^( What:)+ Date: KernelVersion: Contact: Description:$/)
			print FILENAME ":" FNR ": instead of What, Date, KernelVersion, Contact:" lines
		lines = ""
	}' "$top"/Documentation/ABI/*/* >"$dir/said"
[ ! -s "$dir/said" ] || fails "$(cat "$dir/said")"
echo "$(wc -l <"$dir/abi") entries"
exit $failed
