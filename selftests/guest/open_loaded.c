// SPDX-License-Identifier: GPL-2.0-only
/*
 * open_loaded - what opens on real firmware. Groups, what an open costs others, and what is refused
 * beside a busy driver, are tested on the host.
 */
#include "harness.h"

/* Return: 0 if the event opens in this task, else the errno. */
static int open_errno(uint64_t config)
{
	const int fd = open_event(config, 0, -1, -1);

	close(fd);
	return fd < 0 ? -fd : 0;
}

/* May what QEMU does not have give this? On a board it opens, and with csr, unchecked. */
static bool is_possible(int result)
{
	return result == ENOENT || (!result && (!getenv("lab_case") || is_delegated()));
}

/* Codes that QEMU's firmware does not have: the first and the last of each kind */
static void test_unknown(void)
{
	static const uint64_t codes[] = {
		0, 0xdeadbeef, (1ULL << 48) - 1, 1ULL << 48, (1ULL << 56) - 1,
		FIRMWARE(256), FIRMWARE(65534), CONFIG(3, 0), ~0ULL,
	};
	bool all = true;

	for (unsigned int i = 0; i < ARRAY_SIZE(codes); i++) {
		const int error = open_errno(codes[i]);

		note("%#lx: %s", codes[i], error ? strerror(error) : "opened");
		all &= is_possible(error);
	}
	check(all, "unknown_events_open_or_enoent");
	check(!open_errno(FIRMWARE(0)) && !open_errno(FIRMWARE(21)), "firmware_events_open");
}

int main(void)
{
	begin();
	pin(0);
	test_unknown();
	return end();
}
