/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pure_host.h - the host's twin of pure.h (same guard): the few names of the
 * kernel that pure rooms use, made from the C library.
 */
#ifndef SBI_PMU_PURE_H
#define SBI_PMU_PURE_H

#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

/* "-D XLEN=32" makes the rooms what they are on RV32. */
#ifndef XLEN
#define XLEN 64
#endif
#if XLEN == 32
typedef uint32_t xlen_t;
#else
typedef unsigned long xlen_t;
#endif

#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK_ULL(h, l)	((~0ULL << (l)) & (~0ULL >> (63 - (h))))
#define GENMASK(h, l)		((unsigned long)GENMASK_ULL(h, l))
#define FIELD_LOW(mask)		((mask) & (~(mask) + 1))
#define FIELD_GET(mask, v)	(((v) & (mask)) / FIELD_LOW(mask))
#define FIELD_PREP(mask, v)	(((v) * FIELD_LOW(mask)) & (mask))
/* The hosts that this runs on are little-endian, as RISC-V is. */
#define cpu_to_le32(x)		((__le32)(x))
#define cpu_to_le64(x)		((__le64)(x))
#define le32_to_cpu(x)		((u32)(x))
#define le64_to_cpu(x)		((u64)(x))
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define __must_check		__attribute__((warn_unused_result))

struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline void list_add_tail(struct list_head *node, struct list_head *head)
{
	node->prev = head->prev;
	node->next = head;
	head->prev->next = node;
	head->prev = node;
}

static inline void list_del_init(struct list_head *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	INIT_LIST_HEAD(node);
}

static inline void list_splice_tail_init(struct list_head *from, struct list_head *to)
{
	while (!list_empty(from)) {
		struct list_head *node = from->next;

		list_del_init(node);
		list_add_tail(node, to);
	}
}

#define list_entry(node, type, member) \
	((type *)((char *)(node) - offsetof(type, member)))
#define list_for_each_entry(pos, head, member)					\
	for (pos = list_entry((head)->next, __typeof__(*pos), member);		\
	     &pos->member != (head);						\
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))
#define list_for_each_entry_safe(pos, tmp, head, member)			\
	for (pos = list_entry((head)->next, __typeof__(*pos), member),		\
	     tmp = list_entry(pos->member.next, __typeof__(*pos), member);	\
	     &pos->member != (head);						\
	     pos = tmp, tmp = list_entry(tmp->member.next, __typeof__(*tmp), member))

#endif
