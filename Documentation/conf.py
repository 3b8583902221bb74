# SPDX-License-Identifier: GPL-2.0-only
#
# Sphinx configuration of "make htmldocs". The pages are plain reStructuredText, in the folders
# of the kernel's documentation.
project = "sbi_pmu"
master_doc = "index"
html_theme = "alabaster"
html_copy_source = False
html_show_copyright = False
