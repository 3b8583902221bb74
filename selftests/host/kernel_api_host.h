/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel_api_host.h - replaces the driver's kernel_api.h in host builds (same guard): what
 * host-testable files use of the kernel, by means of the C library.
 */
#ifndef SBI_PMU_KERNEL_API_H
#define SBI_PMU_KERNEL_API_H

#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#include "asm_sbi.h"

#define BITS_PER_LONG	64

#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK_ULL(h, l)	((~0ULL << (l)) & (~0ULL >> (63 - (h))))
#define GENMASK(h, l)		((unsigned long)GENMASK_ULL(h, l))
#define FIELD_LOW(mask)		((mask) & (~(mask) + 1))
#define FIELD_GET(mask, v)	(((v) & (mask)) / FIELD_LOW(mask))
#define FIELD_PREP(mask, v)	(((v) * FIELD_LOW(mask)) & (mask))
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define __must_check		__attribute__((warn_unused_result))
#define likely(x)		__builtin_expect(!!(x), 1)
#define noinline		__attribute__((noinline))

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

static inline void list_add(struct list_head *node, struct list_head *head)
{
	list_add_tail(node, head->next);
}

static inline void list_move(struct list_head *node, struct list_head *head)
{
	list_del_init(node);
	list_add(node, head);
}

#define list_entry(node, type, member) \
	((type *)((char *)(node) - offsetof(type, member)))
#define list_last_entry(head, type, member)	list_entry((head)->prev, type, member)
#define list_for_each_entry(pos, head, member)					\
	for (pos = list_entry((head)->next, __typeof__(*pos), member);		\
	     &pos->member != (head);						\
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))
#define list_for_each_entry_reverse(pos, head, member)				\
	for (pos = list_entry((head)->prev, __typeof__(*pos), member);		\
	     &pos->member != (head);						\
	     pos = list_entry(pos->member.prev, __typeof__(*pos), member))
#define list_for_each_entry_safe(pos, tmp, head, member)			\
	for (pos = list_entry((head)->next, __typeof__(*pos), member),		\
	     tmp = list_entry(pos->member.next, __typeof__(*pos), member);	\
	     &pos->member != (head);						\
	     pos = tmp, tmp = list_entry(tmp->member.next, __typeof__(*tmp), member))

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

#define HLIST_HEAD(name)		struct hlist_head name = { NULL }
#define INIT_HLIST_HEAD(head)		((head)->first = NULL)
#define hlist_empty(head)		(!(head)->first)
#define hlist_unhashed(node)		(!(node)->pprev)

static inline void INIT_HLIST_NODE(struct hlist_node *node)
{
	node->next = NULL;
	node->pprev = NULL;
}

static inline void hlist_add_head(struct hlist_node *node, struct hlist_head *head)
{
	node->next = head->first;
	node->pprev = &head->first;
	if (node->next)
		node->next->pprev = &node->next;
	head->first = node;
}

static inline void hlist_del(struct hlist_node *node)
{
	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
}

static inline void hlist_del_init(struct hlist_node *node)
{
	if (hlist_unhashed(node))
		return;
	hlist_del(node);
	INIT_HLIST_NODE(node);
}

static inline void hlist_move_list(struct hlist_head *from, struct hlist_head *to)
{
	to->first = from->first;
	if (to->first)
		to->first->pprev = &to->first;
	from->first = NULL;
}

#define hlist_entry_safe(node, type, member) \
	((node) ? list_entry(node, type, member) : NULL)
#define hlist_for_each_entry(pos, head, member)						\
	for (pos = hlist_entry_safe((head)->first, __typeof__(*pos), member); pos;		\
	     pos = hlist_entry_safe(pos->member.next, __typeof__(*pos), member))
#define hlist_for_each_entry_safe(pos, tmp, head, member)				\
	for (pos = hlist_entry_safe((head)->first, __typeof__(*pos), member);			\
	     pos && ((tmp = pos->member.next), true);					\
	     pos = hlist_entry_safe(tmp, __typeof__(*pos), member))

/* ---- linux/bitmap.h, linux/bitops.h ---- */

#define hweight64(x)		((unsigned int)__builtin_popcountll(x))

#define DECLARE_BITMAP(name, n)	unsigned long name[(n) / BITS_PER_LONG]

static inline bool test_bit(unsigned int i, const unsigned long *map)
{
	return map[i / BITS_PER_LONG] >> (i % BITS_PER_LONG) & 1;
}

static inline void __set_bit(unsigned int i, unsigned long *map)
{
	map[i / BITS_PER_LONG] |= BIT(i % BITS_PER_LONG);
}

static inline void __clear_bit(unsigned int i, unsigned long *map)
{
	map[i / BITS_PER_LONG] &= ~BIT(i % BITS_PER_LONG);
}

static inline unsigned int find_next_bit(const unsigned long *map, unsigned int n,
					 unsigned int from)
{
	while (from < n && !test_bit(from, map))
		from++;
	return from;
}

#define find_first_bit(map, n)		find_next_bit(map, n, 0)
#define for_each_set_bit(i, map, n)						\
	for ((i) = find_first_bit(map, n); (i) < (n); (i) = find_next_bit(map, n, (i) + 1))
#define bitmap_empty(map, n)		(find_first_bit(map, n) == (n))

static inline unsigned int bitmap_weight(const unsigned long *map, unsigned int n)
{
	unsigned int i, weight = 0;

	for_each_set_bit(i, map, n)
		weight++;
	return weight;
}

/* ---- linux/hashtable.h, linux/jhash.h: one bucket ---- */

/* 1 << @bits buckets, of which the first is used. */
#define DECLARE_HASHTABLE(name, bits)	struct hlist_head name[1 << (bits)]
#define hash_init(table)		((table)[0].first = NULL)
#define jhash_3words(a, b, c, d)	((u32)((a) ^ (b) ^ (c) ^ (d)))

#define hash_del(node)			hlist_del(node)
#define hash_add(table, node, key)	((void)(key), hlist_add_head(node, &(table)[0]))
#define hash_for_each_possible(table, pos, member, key)				\
	for ((void)(key), (pos) = hlist_entry_safe((table)[0].first, __typeof__(*(pos)), member); \
	     (pos);								\
	     (pos) = hlist_entry_safe((pos)->member.next, __typeof__(*(pos)), member))

/* ---- linux/cpumask.h, linux/smp.h: two CPUs, of which the first has the counters ---- */

struct cpumask {
	unsigned long bits;
};

/* Set by a test: the CPU that runs the test, and the last one that was asked to run a function. */
__attribute__((weak)) unsigned int kernel_api_cpu, kernel_api_called_cpu;

#define get_cpu()			kernel_api_cpu
#define put_cpu()			((void)0)
#define cpumask_test_cpu(cpu, mask)	((mask)->bits >> (cpu) & 1)
#define cpumask_any(mask)		((unsigned int)__builtin_ctzl((mask)->bits))

static inline int smp_call_function_single(unsigned int cpu, void (*function)(void *arg), void *arg,
					   int wait)
{
	(void)wait;
	kernel_api_called_cpu = cpu;
	function(arg);
	return 0;
}

/* ---- linux/jiffies.h ---- */

/* Set by a test: the time. */
__attribute__((weak)) unsigned long jiffies;

#define HZ				250
#define time_after(a, b)		((long)((b) - (a)) < 0)

/* ---- linux/mutex.h, linux/slab.h ---- */

struct mutex {
	bool locked;
};

#define mutex_init(lock)		((lock)->locked = false)
#define mutex_lock(lock)		(assert(!(lock)->locked), (lock)->locked = true)
#define mutex_unlock(lock)		(assert((lock)->locked), (lock)->locked = false)
#define GFP_KERNEL			0
/* Set by a test: allocations fail. */
__attribute__((weak)) bool kernel_api_no_memory;

#define kzalloc(size, flags)		\
	((void)(flags), kernel_api_no_memory ? NULL : calloc(1, size))
#define kfree(p)			free(p)

#endif
