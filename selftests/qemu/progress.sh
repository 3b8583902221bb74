# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# progress.sh - what is being done: on a terminal one line that is redrawn each second.
#
# Each job has a file $run/now.JOB: the second it began, and a text. Sourced by lab.sh.

progress_pid=

clear_progress() {
	[ -z "$progress_pid" ] || printf '\r\033[K' >&2
}

# now JOB TEXT: this is what JOB does from now on. The time is that of the job's start.
now() {
	[ -n "${run:-}" ] && [ -d "$run" ] || return 0
	[ -e "$run/now.$1" ] || echo "$SECONDS" >"$run/began.$1"
	echo "$2" >"$run/now.$1"
}

now_done() { # JOB
	rm -f "$run/now.$1" "$run/began.$1"
}

# progress_total COUNT FILE: there are so many jobs; each that has ended leaves a line in FILE.
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
	clear_progress
	progress_pid=
}

# What several jobs have to say does not mix.
print_whole() {
	(
		flock 6
		clear_progress
		cat
	) 6>"$run/print.lock"
}
