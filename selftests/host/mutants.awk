# SPDX-License-Identifier: GPL-2.0-only
#
# mutants.awk - for mutants.sh print a change of each line in which one is known, in an order that
# @seed decides: file, line, text.

function next_random(n) { # the same in every awk
	seed = seed * 16807 % 2147483647
	return seed % n
}

function variant(start, text, rest) {
	variants[++found] = substr(code, 1, start) text (rest ? substr(code, rest) : "")
}

# The end of a term from @p on, or before it: parentheses around it, or an operator.
function edge(p, step, depth, c) {
	for (; p > indent && p <= length(code); p += step) {
		c = substr(code, p, 1)
		depth += step * ((c ~ /[([]/) - (c ~ /[])]/))
		if (depth < 0 || (!depth && c ~ /[;,&|?:]/))
			break
	}
	return p
}

function mutate(i, p, start, rest) {
	indent = match(code, /[^\t ]/) - 1
	# Another operator; no term on one side of it
	for (i = 1; i in from; i++)
		for (p = 1; start = index(substr(code, p), from[i]); p = rest) {
			start += p - 1
			rest = start + length(from[i])
			if (substr(code, rest, 1) == "=")
				continue
			variant(start - 1, to[i], rest)
			if (from[i] !~ /^ [&|]/ || from[i] ~ /=/)
				continue
			variant(start - 1, " ", edge(rest, 1))
			variant(edge(start - 1, -1), " ", rest)
		}
	if (match(code, /^\t+(\} else )?(if|while) \(/) && code ~ /\)( \{)? $/)
		variant(RLENGTH, "!(" substr(code, RLENGTH + 1, length(code) - RLENGTH - (code ~ /\{/ ? 3 : 1)) \
			(code ~ /\{/ ? ") {" : ")"))
	# One more; not of a high limit, to which it is the same
	for (p = 1; match(substr(code, p), /[^A-Za-z0-9_.][0-9]+[^0-9A-Za-z_.]/); p = rest) {
		rest = p + RSTART + RLENGTH - 2
		if (substr(code, p + RSTART, RLENGTH - 2) < 64)
			variant(p + RSTART - 1, substr(code, p + RSTART, RLENGTH - 2) + 1, rest)
	}
	if (code ~ /^\t+return [^;]+; $/ && code !~ /return (0|NULL|true|false);/)
		variant(indent, "return " next_random(2) ";")
	# No statement, if it begins in this line: an assignment, a call, a jump
	if (before ~ /([;{})]|else)$/ &&
	    code ~ /^\t+(\*?[a-z_][^ ;]*( [|&+-]?=.*|\+\+|--)|[a-z_0-9]+\(.*\)|break|continue); $/)
		variant(indent, "; /* " substr(code, indent + 1) "*/")
}

BEGIN {
	split(" < , <= , > , >= , == , != , && , || , & , | , + , - , += , -= , |= , &= ,true,false,min(,max(,++,--,~,(!, !, << , >> ", from, ",")
	split(" <= , < , >= , > , != , == , || , && , | , & , - , + , -= , += , &= , |= ,false,true,max(,min(,--,++,,(, , >> , << ", to, ",")
}

FNR == 1 { before = ""; comment = text = 0 }
{
	line = $0
	sub(/[ \t]*\/\*.*\*\/[ \t]*$/, "", line)
	comment = comment || line ~ /\/\*/
	text = text || line ~ /pr_[a-z_]+\(|MODULE_|module_param|WARN_|static_assert|BUILD_BUG/
	found = 0
	code = (index(line, "\"") ? substr(line, 1, index(line, "\"") - 1) : line) " "
	if (code ~ /^\t/ && code !~ /^\t+[a-z_0-9 ]+ \**[a-z_0-9]+\[[^]]*\]; $/ &&
	    !comment && !text)
		mutate()
	if (found)
		lines[++number] = FILENAME "\t" FNR "\t" variants[next_random(found) + 1] substr(line, length(code))
	sub(/ +$/, "", lines[number])
	comment = comment && !/\*\//
	text = text && line !~ /;$/
	before = line == "" ? before : line
}
END {
	for (; number; lines[p] = lines[number--])
		print lines[p = next_random(number) + 1]
}
