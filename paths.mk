# SPDX-License-Identifier: GPL-2.0-only
#
# paths.mk - refuse names with which a recipe would write or delete somewhere else: the shell makes two
# of one with a blank or with one of its special characters, and ".." leads out. Makefiles include it after
# their defaults. From the environment only DESTDIR is taken: without it, the machine itself would change.
$(if $(filter command,$(origin BUILD)),$(error BUILD='$(BUILD)': it is always build/))
special := .. ; & | < > ( ) { } [ ] * ? ' " ` \ $$ \#
faults = $(strip $(filter-out 1,$(words x$($1)x)) $(foreach c,$(special),$(findstring $c,$($1))) \
	$(if $(filter DESTDIR prefix,$1),$(filter-out /%,$($1))) $(if $($1),,$(filter-out DESTDIR,$1)))
$(foreach v,DESTDIR prefix OUT VERSION,$(if $(filter DESTDIR,$v)$(filter command override,$(origin $v)), \
	$(if $(call faults,$v),$(error $v='$($v)': it must not be empty, nor have a blank, '..' or a special character \
		of the shell; DESTDIR and prefix begin with /))))
