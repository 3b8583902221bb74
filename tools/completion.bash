# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion of the options and the cores that the programs know: loaded by bash-completion.
_sbi_pmu() { # PROGRAM WORD WORD-BEFORE
	local words
	case ${1##*/},$3,$2 in
	sbi-pmu-map,-c,*) words=$("$1" -l | cut -d ' ' -f 1) ;;
	*,-*) words=$("$1" --help | tr '][|,= ' '\n' | grep '^-') ;;
	*) return ;;
	esac
	# Not by "< <()", which needs /dev/fd.
	words=$(compgen -W "$words" -- "$2") && mapfile -t COMPREPLY <<<"$words"
}
complete -o default -F _sbi_pmu sbi-pmu-map sbi-pmu-report sbi-topdown
