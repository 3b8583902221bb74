# SPDX-License-Identifier: GPL-2.0-only
#
# make            build sbi_pmu.ko for KDIR, by default the running kernel
# make run        see the module at work in an emulated machine
# make check      test it, in minutes
# make help       the rest

KDIR ?= /lib/modules/$(shell uname -r)/build
prefix ?= /usr/local
VERSION := $(shell sed -n 's/.*SBI_PMU_VERSION "\(.*\)"/\1/p' include/sbi_pmu/version.h)
LAB := selftests/qemu/lab.sh
EVENTS := drivers/perf/sbi_pmu/vendor/xiangshan
BUILD := build

.DEFAULT_GOAL := modules

modules: kdir-check ## build the module (KDIR=..., ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- to cross)
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

clean: ## remove what was built here
	rm -rf $(BUILD)
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	$(MAKE) -C selftests/guest clean
	$(MAKE) -C tools clean
	$(MAKE) -C dts clean

install: install-module install-tools ## install the module for the kernel in KDIR, and the programs (DESTDIR=, prefix=)

uninstall: uninstall-module uninstall-tools ## remove what install has installed (the same KDIR, DESTDIR, prefix)

# The kernel's modules_install does not call depmod if KDIR has no System.map, as with headers.
release = $(shell cat $(KDIR)/include/config/kernel.release)
MODULES = $(DESTDIR)/lib/modules/$(release)
DEPMOD = $(if $(DESTDIR),,depmod -a $(release))

install-module: modules
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(DESTDIR) INSTALL_MOD_DIR=updates modules_install
	$(DEPMOD)

uninstall-module: kdir-check
	rm -f $(MODULES)/updates/drivers/perf/sbi_pmu/sbi_pmu.ko*
	[ ! -e $(MODULES)/updates ] || \
		(cd $(MODULES) && rmdir -p --ignore-fail-on-non-empty updates/drivers/perf/sbi_pmu)
	$(DEPMOD)

# Programs, their manuals, and what other programs are built with; no kernel is needed.
DATA = $(DESTDIR)$(prefix)/share/sbi-pmu
HEADERS = $(DESTDIR)$(prefix)/include/sbi_pmu
PKGCONFIG = $(DESTDIR)$(prefix)/share/pkgconfig

install-tools: tools ## install only the programs, region.h, device trees and perf's event files
	$(MAKE) -C tools install
	install -d $(HEADERS) $(PKGCONFIG) $(DATA)/dts $(DATA)/perf-json
	install -m 644 include/sbi_pmu/region.h $(HEADERS)
	sed 's|@prefix@|$(prefix)|; s|@version@|$(VERSION)|' tools/sbi-pmu.pc.in >$(PKGCONFIG)/sbi-pmu.pc
	install -m 644 dts/*.dtsi dts/*.dtso $(DATA)/dts
	$(EVENTS)/generate.sh perf-json $(DATA)/perf-json

uninstall-tools:
	$(MAKE) -C tools uninstall
	rm -rf $(HEADERS) $(DATA)
	rm -f $(PKGCONFIG)/sbi-pmu.pc

# The sources that dkms builds the module from.
SOURCE = $(DESTDIR)/usr/src/sbi-pmu-$(VERSION)

install-source: ## install the module's sources for dkms in /usr/src (then: dkms install sbi-pmu/VERSION)
	install -d $(SOURCE)/include $(SOURCE)/selftests
	cp -R drivers $(SOURCE)
	cp -R include/compat include/sbi_pmu $(SOURCE)/include
	find $(SOURCE)/drivers ! -type d ! -name '*.[ch]' ! -name '*.awk' ! -name '*.tsv' \
		! -name Makefile -delete
	find $(SOURCE) -name '*.mod.c' -delete
	rm -f $(SOURCE)/include/sbi_pmu/region.h
	cp Kbuild Makefile dkms.conf $(SOURCE)
	cp selftests/kdir-check.sh $(SOURCE)/selftests

uninstall-source:
	rm -rf $(SOURCE)

run: ## boot an emulated RISC-V machine and show what the module does
	@$(LAB) run

run-xiangshan: ## the same on a model of XiangShan's counters (builds a QEMU, once)
	@$(LAB) run-xiangshan

picture: ## draw the pictures in Documentation/images from what both show
	@$(LAB) picture

compare: ## measure the module and the built-in driver, and write the table and the chart
	@$(LAB) compare

shell: ## an emulated RISC-V machine with the module and a prompt (CASES=name: that of a case)
	@$(LAB) shell $(CASES)

test: ## lint and host tests: no root, less than a minute
	@$(LAB) test

check: ## the same, the module's build and a few boots: minutes (CASES="name ...": these boots)
	@$(LAB) check $(CASES)

check-all: ## everything
	@$(LAB) check-all

check-debug: ## the boots of a kernel with its checkers on (KASAN, lockdep, kmemleak ...)
	@$(LAB) check-debug

check-packages: ## install the Debian packages, upgrade the kernel, boot both kernels, purge them
	@$(LAB) check-packages

list: ## list the boots
	@$(LAB) list

tools: ## build the programs in tools/ (CROSS_COMPILE=... to cross; make -C tools install)
	$(MAKE) -C tools

dts: ## compile the device trees in dts/ (needs dtc)
	$(MAKE) -C dts

dts-update: ## write dts/ from the event data, after a change of the data
	$(EVENTS)/generate.sh dts dts

docs: ## write pages of all XiangShan events to build/docs
	rm -rf $(BUILD)/docs
	$(EVENTS)/generate.sh docs $(BUILD)/docs

htmldocs: ## write Documentation/ and those pages as HTML to build/html (needs Sphinx)
	@command -v sphinx-build >/dev/null || { echo "htmldocs needs Sphinx (Debian: apt install python3-sphinx)" >&2; exit 1; }
	rm -rf $(BUILD)/html $(BUILD)/rst
	mkdir -p $(BUILD)/rst
	cp -R Documentation/. $(BUILD)/rst
	$(EVENTS)/generate.sh docs $(BUILD)/rst/events
	sphinx-build -q -W --keep-going -n -d $(BUILD)/rst/.doctrees $(BUILD)/rst $(BUILD)/html

perf-json: ## write XiangShan's events for perf's source tree to build/perf-json
	rm -rf $(BUILD)/perf-json
	$(EVENTS)/generate.sh perf-json $(BUILD)/perf-json

libpfm4: ## write XiangShan's events as headers for libpfm4's source tree to build/libpfm4
	rm -rf $(BUILD)/libpfm4
	$(EVENTS)/generate.sh libpfm4 $(BUILD)/libpfm4

likwid: ## write XiangShan's metrics as groups for likwid's source tree to build/likwid
	rm -rf $(BUILD)/likwid
	$(EVENTS)/generate.sh likwid $(BUILD)/likwid

deb: ## build the Debian packages in the lab: build/deb/*.deb (on a riscv64 Debian: dpkg-buildpackage -b)
	@$(LAB) deb

kernel-patch: ## write the driver as a patch for the kernel's source tree LINUX=dir to build/sbi_pmu.patch
	tools/kernel-patch.sh '$(LINUX)' $(BUILD)/sbi_pmu.patch

setup: ## download and build ahead of time what check-all needs
	@$(LAB) setup

clean-lab: ## remove what the lab downloaded and built
	@$(LAB) clean

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

kdir-check:
	@LLVM='$(LLVM)' CC='$(if $(filter command%,$(origin CC)),$(CC))' \
		selftests/kdir-check.sh '$(KDIR)' '$(CROSS_COMPILE)'

.PHONY: modules clean install uninstall install-module uninstall-module install-tools \
	uninstall-tools install-source uninstall-source run run-xiangshan picture compare shell test check check-all check-debug check-packages list tools dts dts-update docs perf-json htmldocs libpfm4 likwid deb kernel-patch setup clean-lab help kdir-check
