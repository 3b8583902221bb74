# SPDX-License-Identifier: GPL-2.0-only
#
# split.awk PIECES PATCH - write PATCH as the series that PIECES describes, into the folder that -v out
# names. PIECES has, for each piece, "Subject: ...", "Files: NAME...", an empty line and the body. A name that
# ends in / is a folder; "Base: FOLDER/" is put before those that follow. A file goes to the piece with the
# longest name that fits.

function stop(text) { print "split: " text > "/dev/stderr"; failed = 1; exit 1 }

function piece_of(file,    p, k, names, word, piece, longest) {
	for (p = 1; p <= n; p++) {
		names = split(files[p], word, " ")
		for (k = 1; k <= names; k++)
			if ((file == word[k] || word[k] ~ /\/$/ && index(file, word[k]) == 1) && length(word[k]) > longest) {
				longest = length(word[k])
				piece = p
			}
	}
	if (!piece)
		stop("no piece has " file)
	return piece
}

FNR == 1 { part++ }
part == 1 && /^#/ { next }
part == 1 && /^Base: / { base = $2; next }
part == 1 && /^Subject: / { subject[++n] = substr($0, 10); next }
part == 1 && /^Files: / { for (i = 2; i <= NF; i++) files[n] = files[n] " " base $i; next }
part == 1 { body[n] = body[n] $0 "\n"; next }

# "--- " may also be the beginning of a line that a patch takes away.
/^--- (a\/|\/dev\/null)/ { head = $0; next }
head != "" {
	if (!/^\+\+\+ b\//)
		stop("not a patch: " $0)
	to = piece_of(substr($2, 3))
	diff[to] = diff[to] head "\n"
	head = ""
}
to { diff[to] = diff[to] $0 "\n" }

END {
	if (failed)
		exit 1
	for (p = 1; p <= n; p++) {
		if (!(p in diff))
			stop("nothing for '" subject[p] "'")
		file = tolower(subject[p])
		gsub(/[^a-z0-9]+/, "-", file)
		file = sprintf("%s/%04d-%s.patch", out, p, file)
		sub(/\n+$/, "\n", body[p])
		printf "Subject: [PATCH %d/%d] %s\n%s---\n\n%s", p, n, subject[p], body[p], diff[p] > file
		close(file)
	}
}
