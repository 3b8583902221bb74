# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# compare.sh - make compare: what the module and the kernel's built-in driver cost on the same
# machine. Prints a table, as Documentation/admin-guide/perf/sbi-pmu-compare.rst has it, from the rows
# that the program compare prints in each case, and fails if the module is worse in any. Sourced by
# lab.sh.

# measured_rows: print the rows of these cases (on stdin, by name), each after its case's name.
# Fails if a case has measured another driver than that in its name, except if it has not run.
measured_rows() {
	local name driver status=0
	while read -r name; do
		[ -s "$run/$name.ktap" ] || continue
		driver=$(sed -n 's/^ *# row\tdriver\t//p' "$run/$name.ktap")
		[[ $name == *-"$driver"-* ]] || {
			say "error: $name has measured '$driver'"
			status=1
		}
		sed -n "/\tdriver\t/d; s/^ *# \(row\t\|\(burst\t\)\)/$name\t\2/p" "$run/$name.ktap"
	done
	return $status
}

# Of switches, print what they take more than one without events (rows on stdin). That has two
# speeds in Linux 7.2, by chance and whichever driver is there: the lower one of both is taken.
more_than_without() {
	awk -F '\t' -v OFS='\t' '
		{ kernel = $1; sub(/-(module|builtin)-/, " ", kernel); row[NR] = $0; of[NR] = kernel }
		$2 ~ /^switch without events: instr/ && (!base[kernel] || $3 < base[kernel]) { base[kernel] = $3 }
		END {
			for (i = 1; i <= NR; i++) {
				$0 = row[i]
				if ($2 ~ /^switch, .*: instructions$/) {
					$2 = $2 " more"
					$3 -= base[of[i]]
				}
				print
			}
		}'
}

# comparison_table STABLE TESTING: a csv-table from rows (on stdin). "-": not measured.
comparison_table() {
	awk -F '\t' -v stable="$1" -v testing="$2" '
		$2 == "burst" { next }
		{ sub(/^compare-model-/, "compare-") }
		!seen[$2]++ { label[++labels] = $2 }
		{ value[$1, $2] = $3 }
		function line(l, where, kernel, text) {
			return l ? "|" cell(where "module-" kernel, l) "|" cell(where "builtin-" kernel, l) : \
				"|" text "module|" text "built-in"
		}
		function cell(column, l,    key) {
			key = "compare-" column SUBSEP label[l]
			return key in value ? value[key] : "-"
		}
		END {
			print ".. csv-table::\n   :delim: |\n   :header-rows: 1\n"
			for (l = 0; l <= labels; l++)
				print "   " label[l] line(l, "", "stable", stable ", ") \
					line(l, "", "testing", testing ", ") \
					line(l, "guest-", "stable", "guest " stable ", ") \
					line(l, "guest-", "testing", "guest " testing ", ")
		}'
}

# worse_rows: print the rows (on stdin) in which the module is worse than the built-in driver of the
# same machine. Repeated runs differ by 2 %, and a clock tick in a measured run by a few instructions
# and 0.1 calls.
worse_rows() {
	awk -F '\t' '
		function size(x) { return x < 0 ? -x : x }
		$2 ~ /without events|burst/ || $3 == "-" { next }
		{ key = $1; sub(/-(module|builtin)-/, " ", key); key = key ": " $2 }
		$1 ~ /-module-/ { module[key] = size($3); order[++n] = key }
		$1 ~ /-builtin-/ { builtin[key] = size($3) }
		END {
			for (i = 1; i <= n; i++) {
				key = order[i]
				if (!(key in builtin))
					continue
				limit = builtin[key] * 1.02 + (key ~ /differ/ ? 5 : 0.1)
				if (module[key] > limit)
					print substr(key, 9) ": " module[key] ", built-in " builtin[key]
			}
		}'
}

compare() {
	local cases worse picture commit
	cases=$(select_cases compare)
	need_root
	start_run
	# shellcheck disable=SC2046 # words
	make_artifacts 3000 $(artifacts_of "$cases")
	APPEND="LAB_GROUPS=1000 ${APPEND:-}" run_jobs "" "$cases" ""
	print_results && values name <<<"$cases" | measured_rows >"$run/all_rows" || exit
	more_than_without <"$run/all_rows" >"$run/rows"
	commit=$(git -C "$top" rev-parse --short HEAD 2>/dev/null)
	git -C "$top" diff --quiet HEAD -- drivers include 2>/dev/null || commit="none, not all is committed"
	say "for the table of Documentation/admin-guide/perf/sbi-pmu-compare.rst, $(date -u +%F), commit \`\`$commit\`\`:"
	comparison_table "$(release_of stable)" "$(release_of testing)" <"$run/rows"
	mkdir -p "$top/build"
	for picture in switch bursts; do
		awk -f "$lab/pictures.awk" -v picture=$picture -v kernel="$(release_of testing)" -v date="$(date -u +%F)" \
			"$run/rows" >"$top/build/$picture.svg" || exit
		say "$top/build/$picture.svg is the picture of that page"
	done
	worse=$(worse_rows <"$run/rows")
	[ -z "$worse" ] || {
		say "worse than the built-in driver:"
		echo "$worse"
		return 1
	}
}
