# SPDX-License-Identifier: GPL-2.0-only
#
# make            build sbi_pmu.ko for KDIR, by default the running kernel
# make run        see the module at work in an emulated machine
# make check      prove everything
# make help       the rest

KDIR ?= /lib/modules/$(shell uname -r)/build
LAB := selftests/qemu/lab.sh

.DEFAULT_GOAL := modules

modules: kdir-check ## build the module (KDIR=..., ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- to cross)
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

clean: ## remove what was built here
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	$(MAKE) -C selftests/guest clean
	$(MAKE) -C tools clean
	$(MAKE) -C dts clean

install: modules ## install the module for the running kernel
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules_install
	depmod -a

run: ## boot an emulated RISC-V machine and show what the module does
	@$(LAB) run

shell: ## the same machine with a prompt
	@$(LAB) shell

check: ## run every test (CASES="name ..." for single boots, see 'make list')
	@$(LAB) check $(CASES)

check-debug: ## of these only the boots of a kernel with its checkers on (KASAN, lockdep, kmemleak ...)
	@$(LAB) check-debug

list: ## list the boots of 'make check'
	@$(LAB) list

tools: ## build the programs in tools/ (CROSS_COMPILE=... to cross; make -C tools install)
	$(MAKE) -C tools

dts: ## compile the device trees in dts/ (needs dtc)
	$(MAKE) -C dts

generated: ## write anew what is made from the event tables: dts, perf's JSON, documentation
	drivers/perf/sbi_pmu/events/generate.sh

setup: ## download and build ahead of time all that run, shell and check need
	@$(LAB) setup

clean-lab: ## remove what the lab downloaded and built
	@$(LAB) clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

kdir-check:
	@selftests/kdir-check.sh '$(KDIR)' '$(CROSS_COMPILE)'

.PHONY: modules clean install run shell check check-debug list tools dts generated setup clean-lab help kdir-check
