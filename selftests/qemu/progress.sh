# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# progress.sh - what is being done: on a terminal one line that is redrawn each second.
#
# A job that is running has a file $run/now.JOB with a text, and $run/began.JOB with the second
# of its start. Sourced by lab.sh.

progress_pid=

progress_erase() {
	[ -z "$progress_pid" ] || printf '\r\033[K' >&2
}

# progress_job JOB TEXT: set the text of a job; the first call is its start.
progress_job() {
	[ -n "${run:-}" ] && [ -d "$run" ] || return 0
	[ -e "$run/now.$1" ] || echo "$SECONDS" >"$run/began.$1"
	echo "$2" >"$run/now.$1"
}

progress_job_end() { # JOB
	rm -f "$run/now.$1" "$run/began.$1"
}

# progress_total COUNT FILE: set the number of jobs. Each job adds a line to FILE at its end.
progress_total() {
	echo "$1 $2" >"$run/total"
}

progress_line() {
	local file job line='' began text total ended
	if read -r total ended 2>/dev/null <"$run/total"; then
		line="[$(cat "$ended" 2>/dev/null | wc -l)/$total] "
	fi
	line+="$((SECONDS / 60)):$(printf %02d $((SECONDS % 60)))"
	for file in "$run"/now.*; do
		[ -e "$file" ] || continue
		job=${file##*/now.}
		began=$(cat "$run/began.$job" 2>/dev/null) || continue
		text=$(cat "$file" 2>/dev/null)
		[ "$text" != making ] || text=$(artifact_activity "$job")
		line+=" | $job $((SECONDS - began)) s: $text"
	done
	echo "${line:0:$(($(tput cols 2>/dev/null || echo 80) - 1))}"
}

progress_start() {
	[ -t 2 ] && [ -z "${NO_PROGRESS:-}" ] && [ "${TERM:-dumb}" != dumb ] || return 0
	while sleep 1; do
		printf '\r\033[K%s' "$(progress_line)" >&2
	done &
	progress_pid=$!
}

progress_stop() {
	[ -n "$progress_pid" ] || return 0
	kill "$progress_pid" 2>/dev/null
	wait "$progress_pid" 2>/dev/null
	progress_erase
	progress_pid=
}

# Print standard input in one piece: jobs that print at the same time do not mix.
print_whole() {
	(
		flock 6
		progress_erase
		cat
	) 6>"$run/print.lock"
}
