# SPDX-License-Identifier: GPL-2.0-only
#
# write-libpfm4.awk - after read.awk: a header with the events of table "only", in the form of
# those in lib/events of libpfm4.

function quote(string)
{
	gsub(/\\/, "\\\\", string)
	gsub(/"/, "\\\"", string)
	return "\"" string "\""
}

END {
	printf "/* SPDX-License-Identifier: GPL-2.0-only */\n"
	printf "/*\n * %s: events. Written by 'make libpfm4' of sbi_pmu.\n *\n", title[only]
	printf " * Needs a structure riscv_entry_t with the members name, code (64 bits) and desc. The code\n"
	printf " * is the config of a raw event (PERF_TYPE_RAW).\n */\n"
	array = only
	gsub(/-/, "_", array)
	printf "static const riscv_entry_t riscv_xiangshan_%s_pe[] = {\n", array
	for (n = 1; n <= events[only]; n++) {
		alias = event[only, n]
		if (fault[only, alias] != "-")
			continue
		printf "\t{ .name = %s,\n\t  .code = %s,\n\t  .desc = %s,\n\t},\n", \
		       quote(toupper(alias)), code(only, alias) "ULL", quote(text[only, alias])
	}
	printf "};\n"
}
