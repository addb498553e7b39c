/* Memory that is short for lines: who links the library test_short_lines reads lines through it. */
#ifndef RINKD_TESTS_UNIT_SHORT_LINES_H
#define RINKD_TESTS_UNIT_SHORT_LINES_H

/* The n-th line from now on cannot be read, for memory; 0: all can. */
void short_lines_fail(int n);

#endif
