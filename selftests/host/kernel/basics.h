/* SPDX-License-Identifier: GPL-2.0-only */
/* basics.h - types, compiler, bits, lists and hash tables, as the kernel has them. See kernel.h. */
#ifndef HOST_BASICS_H
#define HOST_BASICS_H

/* ---- types, compiler, bits ---- */

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int32_t s32;
typedef long long s64;
typedef unsigned int gfp_t;
typedef unsigned short umode_t;

#define LINUX_VERSION_CODE	KERNEL_VERSION(7, 2, 0)
#define KERNEL_VERSION(a, b, c)	((a) << 16 | (b) << 8 | (c))
#define CONFIG_RISCV_PMU	1
#define CONFIG_CPU_PM		1
#define CONFIG_LTO		(host.lto)
#define CONFIG_KALLSYMS		(!host.no_kallsyms)
#define CONFIG_KPROBES		(!host.no_kprobes)
#define IS_ENABLED(option)	(option)

#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK_ULL(h, l)	((~0ULL << (l)) & (~0ULL >> (63 - (h))))
#define GENMASK(h, l)		((unsigned long)GENMASK_ULL(h, l))
#define FIELD_LOW(mask)		((mask) & (~(mask) + 1))
#define FIELD_GET(mask, v)	(((v) & (mask)) / FIELD_LOW(mask))
#define FIELD_PREP(mask, v)	(((v) * FIELD_LOW(mask)) & (mask))
#define FIELD_PREP_CONST	FIELD_PREP
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define __must_check		__attribute__((warn_unused_result))
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define likely(x)		__builtin_expect(!!(x), 1)
#define __uninitialized
#define noinline		__attribute__((noinline))
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define __init
#define __exit
#define __user
#define __percpu
#define barrier()		__asm__ volatile("" : : : "memory")
#define smp_mb()		barrier()
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define clamp_t(type, v, lo, hi) min_t(type, max_t(type, v, lo), hi)
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))

/* A condition that the driver says cannot be: the tests end there. */
void host_warn(const char *file, int line, const char *what);
#define WARN_ON(c)	({ const bool warn = !!(c); if (warn) host_warn(__FILE__, __LINE__, #c); warn; })
#define WARN_ON_ONCE	WARN_ON

#define IS_ERR(p)	((unsigned long)(p) >= (unsigned long)-4095)
#define PTR_ERR(p)	((long)(p))
#define ERR_PTR(e)	((void *)(long)(e))

#define hweight32(x)	((unsigned int)__builtin_popcount(x))
#define hweight64(x)	((unsigned int)__builtin_popcountll(x))
#define __ffs64(x)	((unsigned int)__builtin_ctzll(x))
#define fls64(x)	((x) ? 64 - __builtin_clzll(x) : 0)

static inline int match_string(const char * const *array, size_t n, const char *string)
{
	for (size_t i = 0; i < n && array[i]; i++)
		if (!strcmp(array[i], string))
			return i;
	return -EINVAL;
}

/* ---- lists, hash tables (one bucket) ---- */

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

#define INIT_LIST_HEAD(head)	((head)->next = (head)->prev = (head))

static inline void list_add(struct list_head *node, struct list_head *head)
{
	node->next = head->next;
	node->prev = head;
	head->next->prev = node;
	head->next = node;
}

static inline void list_del_init(struct list_head *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	INIT_LIST_HEAD(node);
}

#define list_add_tail(node, head)	list_add(node, (head)->prev)
#define list_del(node)			list_del_init(node)
#define list_move(node, head)		(list_del_init(node), list_add(node, head))
#define list_entry(node, type, member)	container_of(node, type, member)
#define list_for_each_from(start, way, pos, head, member)			\
	for (pos = list_entry((head)->way, __typeof__(*pos), member);		\
	     &pos->member != (head);						\
	     pos = list_entry(pos->member.way, __typeof__(*pos), member))
#define list_for_each_entry(pos, head, member)	list_for_each_from(head, next, pos, head, member)
#define list_for_each_entry_reverse(pos, head, member)	\
	list_for_each_from(head, prev, pos, head, member)
#define list_for_each_entry_safe(pos, tmp, head, member)			\
	for (pos = list_entry((head)->next, __typeof__(*pos), member),		\
	     tmp = list_entry(pos->member.next, __typeof__(*pos), member);	\
	     &pos->member != (head);						\
	     pos = tmp, tmp = list_entry(tmp->member.next, __typeof__(*tmp), member))

#define INIT_HLIST_HEAD(head)	((head)->first = NULL)
#define INIT_HLIST_NODE(node)	((node)->next = NULL, (node)->pprev = NULL)
#define hlist_empty(head)	(!(head)->first)
#define hlist_unhashed(node)	(!(node)->pprev)

static inline void hlist_add_head(struct hlist_node *node, struct hlist_head *head)
{
	node->next = head->first;
	node->pprev = &head->first;
	if (node->next)
		node->next->pprev = &node->next;
	head->first = node;
}

static inline void hlist_del_init(struct hlist_node *node)
{
	if (hlist_unhashed(node))
		return;
	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
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

#define DECLARE_HASHTABLE(name, bits)	struct hlist_head name[1 << (bits)]
#define hash_init(table)		INIT_HLIST_HEAD(&(table)[0])
#define hash_add(table, node, key)	((void)(key), hlist_add_head(node, &(table)[0]))
#define hash_add_rcu			hash_add
#define hash_del_rcu(node)		hlist_del_init(node)
#define hash_for_each_possible(table, pos, member, key)	\
	(void)(key);					\
	hlist_for_each_entry(pos, &(table)[0], member)
#define hash_for_each_possible_rcu	hash_for_each_possible

#endif
