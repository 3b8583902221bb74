# SPDX-License-Identifier: GPL-2.0-only
#
# common.awk - what the readers of event data need: errors, numbers, names. POSIX awk; tested with mawk,
# gawk, busybox and the original awk.

function error_at(where, what)
{
	print where ": " what > "/dev/stderr"
	bad = 1
}

function error(what)
{
	error_at(FILENAME ":" FNR, what)
}

# 2 to the power of n; busybox awk has no such operator.
function power(n,    p)
{
	for (p = 1; n > 0; n--)
		p *= 2
	return p
}

# perf and sysfs accept lower case; standard events must keep their names.
function check_alias(alias)
{
	if (alias !~ /^[a-z][a-z0-9_]*$/)
		error("alias '" alias "' is not all of a-z, 0-9 and _")
	else if (alias ~ /^((hw_)?(cycles|instructions|branches)|fw_.*)$/)
		error("alias '" alias "' is taken by an event of the SBI specification")
}

# printf's %x of large numbers differs from awk to awk.
function hex(value, digits,    out, digit)
{
	for (; value >= 1 || digits > 0; digits--) {
		digit = value % 16
		out = substr("0123456789abcdef", digit + 1, 1) out
		value = (value - digit) / 16
	}
	return "0x" out
}

# The value of a hexadecimal number; exact below 2^53
function unhex(text,    i, value)
{
	for (i = 3; i <= length(text); i++)
		value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value + 0
}
