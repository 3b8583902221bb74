# SPDX-License-Identifier: GPL-2.0-only
#
# "make help" prints these lines.
#: make              build the module for KDIR, by default the running kernel; to cross-compile:
#:                   KDIR=... ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu-
#: make install      install the module, and the programs of tools/ (DESTDIR=, prefix=)
#: make uninstall    remove both, with the same KDIR, DESTDIR and prefix
#: make tools        build the programs; install-tools: install only them, region.h, device trees and
#:                   perf's event files
#: make install-source   for dkms, in /usr/src (then: dkms install sbi-pmu/VERSION)
#: make clean        remove what was built here
#:
#: In an emulated RISC-V machine, on any PC; what that needs is downloaded and built once:
#: make run          show what the module does; run-xiangshan: the same with XiangShan's counters
#: make shell        a prompt and the module (CASES=name: in the machine of that case)
#: make test         lint and host tests: no machine, no root, 1 to 2 minutes
#: make check        the same, the module's build and a few boots (CASES="name ...": these boots;
#:                   TESTS="program program.test ...": only these tests of them)
#: make check-all    everything; check-debug: the boots of a kernel with its checkers on;
#:                   check-kernels: those of real-time, unstable and coming kernels;
#:                   check-packages: the Debian packages, from installation to purge;
#:                   check-upstream: the patches for other projects, tools/upstream
#: make check-iss WHISPER=dir SPIKE=dir   build two other emulators from these checkouts, once, and count
#:                   known loops in them: half an hour, then minutes
#: make perf-test    perf's own tests, with the built-in driver and with the module
#: make mutants      plant changes in the driver: which does no host test notice? (NUMBER=, SEED=)
#: make list         list the boots
#: make compare      measure what the module and the built-in driver cost
#: make setup        download and build ahead of time what check-all needs; clean-lab: remove it
#: make deb          build the Debian packages: build/deb/*.deb
#: make release-check VERSION=0.3   is all of this checkout fit to be released? Then the source archive,
#:                   its checksums and SBOM are in build/release; and boots that check-all has not
#:
#: From the event data, to build/:
#: make htmldocs     Documentation/ and pages of all events as HTML (needs Sphinx); docs: only these pages
#: make perf-json    events and metrics for perf's source tree
#: make dts          write device trees for XiangShan and boards to dts/build, and compile them (needs dtc)
#: make libpfm4      a patch for the source tree LIBPFM4=dir of libpfm4, by which PAPI knows the cores
#: make kernel-patch   the driver as a patch for the kernel's source tree LINUX=dir

KDIR ?= /lib/modules/$(shell uname -r)/build
prefix := /usr/local
VERSION = $(shell tools/version.sh)
LAB := selftests/qemu/lab.sh
EVENTS := drivers/perf/sbi_pmu/vendor
include paths.mk

.DEFAULT_GOAL := modules

modules: kdir-check
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

# Also what was built for a kernel that is not there now
clean:
	rm -rf build dts/build selftests/guest/build selftests/host/build
	$(MAKE) -C tools clean
	rm -f *.o .*.o .*.cmd modules.order Module.symvers
	find drivers selftests tools -type f \( -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' -o -name '.*.cmd' \
		-o -name Module.symvers -o -name modules.order -o -name cores.inc \) -exec rm -f {} +

install: install-module install-tools

uninstall: uninstall-module uninstall-tools

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

install-tools: tools
	$(MAKE) -C tools install
	install -d $(HEADERS) $(PKGCONFIG) $(DATA)/dts $(DATA)/perf-json
	install -m 644 include/sbi_pmu/region.h $(HEADERS)
	sed 's|@prefix@|$(prefix)|; s|@version@|$(VERSION)|' tools/sbi-pmu.pc.in >$(PKGCONFIG)/sbi-pmu.pc
	$(EVENTS)/generate.sh dts $(DATA)/dts
	$(EVENTS)/generate.sh perf-json $(DATA)/perf-json
	for file in $$(sed -n 's/^cores := //p' drivers/perf/sbi_pmu/Makefile) read.awk; do \
		install -D -m 644 $(EVENTS)/$$file $(DATA)/cores/$$file || exit; done
	install -m 644 tools/sbi-pmu-map/map.awk $(DATA)/cores
	install -m 644 selftests/boards.tsv $(DATA)

uninstall-tools:
	$(MAKE) -C tools uninstall
	rm -rf $(HEADERS) $(DATA)
	rm -f $(PKGCONFIG)/sbi-pmu.pc

# The sources that dkms builds the module from.
SOURCE = $(DESTDIR)/usr/src/sbi-pmu-$(VERSION)

install-source:
	install -d $(SOURCE)/include $(SOURCE)/selftests
	cp -R drivers $(SOURCE)
	cp -R include/compat include/sbi_pmu $(SOURCE)/include
	find $(SOURCE)/drivers ! -type d ! -name '*.[chS]' ! -name '*.awk' ! -name '*.tsv' \
		! -name Makefile -delete
	find $(SOURCE) -name '*.mod.c' -delete
	rm -f $(SOURCE)/include/sbi_pmu/region.h
	cp Kbuild Makefile paths.mk dkms.conf $(SOURCE)
	tools/version.sh $(SOURCE)/dkms.conf $(SOURCE)/include/sbi_pmu/version.h
	cp selftests/kdir-check.sh $(SOURCE)/selftests

uninstall-source:
	rm -rf $(SOURCE)

run run-xiangshan compare test check-all check-debug check-kernels check-packages check-upstream check-iss perf-test list deb setup clean-lab:
	@$(LAB) $@

check shell:
	@$(LAB) $@ $(CASES)

mutants:
	$(MAKE) -C selftests/host mutants

tools:
	$(MAKE) -C tools

dts:
	$(MAKE) -C dts

docs:
	rm -rf build/docs
	$(EVENTS)/generate.sh docs build/docs

release-check:
	tools/release-check.sh '$(VERSION)' build/release
	@$(LAB) check-release

htmldocs:
	@command -v sphinx-build >/dev/null || { echo "htmldocs needs Sphinx (Debian: apt install python3-sphinx)" >&2; exit 1; }
	rm -rf build/html build/rst
	mkdir -p build/rst
	cp -R Documentation/. *.md build/rst
	$(EVENTS)/generate.sh docs build/rst/events
	sphinx-build -q -W --keep-going -n -d build/rst/.doctrees build/rst build/html

perf-json:
	rm -rf build/perf-json
	$(EVENTS)/generate.sh perf-json build/perf-json

kernel-patch:
	tools/kernel-patch.sh '$(LINUX)' build/sbi_pmu.patch

libpfm4:
	tools/libpfm4/libpfm4.sh '$(LIBPFM4)' build

help:
	@sed -n 's/^#: \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

kdir-check:
	@LLVM='$(LLVM)' CC='$(if $(filter command%,$(origin CC)),$(CC))' \
		selftests/kdir-check.sh '$(KDIR)' '$(CROSS_COMPILE)'

.PHONY: modules clean install uninstall install-module uninstall-module install-tools \
	uninstall-tools install-source uninstall-source run run-xiangshan compare shell test mutants check check-all check-debug check-kernels check-packages check-upstream check-iss list tools dts docs perf-json htmldocs deb libpfm4 kernel-patch release-check setup clean-lab help kdir-check
