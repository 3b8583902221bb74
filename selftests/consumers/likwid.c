// SPDX-License-Identifier: GPL-2.0-only
/*
 * likwid.c GROUPS ARCHITECTURE GROUP - print a performance group as likwid reads it: lines
 * "event COUNTER NAME" and "metric NAME FORMULA".
 */
#include <stdio.h>

#include <likwid.h>

int main(int argc, char **argv)
{
	GroupInfo group;
	int ret;

	if (argc != 4)
		return 2;
	ret = perfgroup_readGroup(argv[1], argv[2], argv[3], &group);
	if (ret) {
		fprintf(stderr, "%s: %d\n", argv[3], ret);
		return 1;
	}
	for (int i = 0; i < group.nevents; i++)
		printf("event %s %s\n", group.counters[i], group.events[i]);
	for (int i = 0; i < group.nmetrics; i++)
		printf("metric %s %s\n", group.metricnames[i], group.metricformulas[i]);
	perfgroup_returnGroup(&group);
	return 0;
}
