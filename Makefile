# SPDX-License-Identifier: GPL-2.0-only
#
# make            build sbi_pmu.ko for KDIR, by default the running kernel
# make run        see the module at work in an emulated machine
# make check      test it, in minutes
# make help       the rest

KDIR ?= /lib/modules/$(shell uname -r)/build
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

install: modules ## install the module for the running kernel
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules_install
	depmod -a

run: ## boot an emulated RISC-V machine and show what the module does
	@$(LAB) run

run-xiangshan: ## the same on a model of XiangShan's counters (builds a QEMU, once)
	@$(LAB) run-xiangshan

picture: ## draw what 'make run' shows, for the README
	@$(LAB) picture

shell: ## the machine of 'make run', with a prompt
	@$(LAB) shell

test: ## lint and host tests: no root, less than a minute
	@$(LAB) test

check: ## the same, the module's build and a few boots: minutes (CASES="name ...": these boots)
	@$(LAB) check $(CASES)

check-all: ## everything
	@$(LAB) check-all

check-debug: ## the boots of a kernel with its checkers on (KASAN, lockdep, kmemleak ...)
	@$(LAB) check-debug

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

perf-json: ## write XiangShan's events for perf's source tree to build/perf-json
	rm -rf $(BUILD)/perf-json
	$(EVENTS)/generate.sh perf-json $(BUILD)/perf-json

setup: ## download and build ahead of time what check-all needs
	@$(LAB) setup

clean-lab: ## remove what the lab downloaded and built
	@$(LAB) clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

kdir-check:
	@selftests/kdir-check.sh '$(KDIR)' '$(CROSS_COMPILE)'

.PHONY: modules clean install run run-xiangshan picture shell test check check-all check-debug list tools dts dts-update docs perf-json setup clean-lab help kdir-check
