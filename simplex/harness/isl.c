/* Answers the problems of `examples/compare` with isl and says how long it took.
 *
 * Input, as numbers between blanks: a kind, hot or cold, the number of problems and how often to solve each, then the
 * problems. Output: the CPU time of all solutions in nanoseconds, then a line for each problem's answer.
 * With SMALL_INTEGERS defined, isl's integers are those of its IMath build with 32-bit values in place.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/lp.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#ifdef SMALL_INTEGERS
typedef uint64_t isl_int[1];
static void set_integer(isl_int to, long value) { to[0] = ((uint64_t)(uint32_t)value << 32) | 1; }
#else
#include <gmp.h>
typedef mpz_t isl_int;
static void set_integer(isl_int to, long value) { mpz_init_set_si(to, value); }
#endif

/* Not declared in isl's public headers. */
isl_basic_set *isl_basic_set_set_rational(isl_basic_set *set);
struct isl_tab *isl_tab_alloc(isl_ctx *ctx, unsigned rows, unsigned variables, unsigned big);
int isl_tab_extend_cons(struct isl_tab *tab, unsigned count);
int isl_tab_add_row(struct isl_tab *tab, isl_int *line);
int isl_tab_pivot(struct isl_tab *tab, int row, int column);
void isl_tab_free(struct isl_tab *tab);

static isl_ctx *ctx;

static long number(void)
{
	long value;
	if (scanf("%ld", &value) != 1)
		exit(2);
	return value;
}

static uint64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + time.tv_nsec;
}

/* Reads more memory than all caches hold. */
static void evict(void)
{
	enum { SIZE = 64 << 20 };
	static volatile char *memory;
	if (!memory)
		memory = memset(malloc(SIZE), 1, SIZE);
	for (size_t at = 0; at < SIZE; at += 64)
		(void)memory[at];
}

/* A rational set is not tightened to its integer points. */
static isl_basic_set *read_set(int variables, int rational)
{
	isl_space *space = isl_space_set_alloc(ctx, 0, variables);
	isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
	isl_basic_set *set = isl_basic_set_universe(space);
	long count = number(), equalities = number();
	if (rational)
		set = isl_basic_set_set_rational(set);
	for (long row = 0; row < count; row++) {
		isl_constraint *constraint = row < equalities
			? isl_constraint_alloc_equality(isl_local_space_copy(local))
			: isl_constraint_alloc_inequality(isl_local_space_copy(local));
		for (int column = 0; column < variables; column++)
			constraint = isl_constraint_set_coefficient_si(constraint, isl_dim_set, column, number());
		constraint = isl_constraint_set_constant_si(constraint, number());
		set = isl_basic_set_add_constraint(set, constraint);
	}
	isl_local_space_free(local);
	return set;
}

struct problem {
	isl_basic_set *set;
	isl_aff *objective;
	isl_set *all, *other;
	struct isl_tab *tab;
	int pivots, *positions;
	char *answer;
};

static isl_set *read_union(int variables)
{
	isl_set *all = isl_set_empty(isl_space_set_alloc(ctx, 0, variables));
	for (long sets = number(); sets > 0; sets--)
		all = isl_set_union(all, isl_set_from_basic_set(read_set(variables, 0)));
	return all;
}

static void read_problem(const char *kind, struct problem *problem)
{
	int variables = number();
	if (!strcmp(kind, "optimum")) {
		problem->set = read_set(variables, 1);
		isl_space *space = isl_space_set_alloc(ctx, 0, variables);
		problem->objective = isl_aff_zero_on_domain(isl_local_space_from_space(space));
		for (int column = 0; column < variables; column++)
			problem->objective =
				isl_aff_set_coefficient_si(problem->objective, isl_dim_in, column, number());
	} else if (!strcmp(kind, "integer")) {
		problem->set = read_set(variables, 0);
	} else if (!strcmp(kind, "coalesce")) {
		problem->all = read_union(variables);
	} else if (!strcmp(kind, "equal")) {
		problem->all = read_union(variables);
		problem->other = read_union(variables);
	} else {
		int rows = number();
		isl_int *line = calloc(variables + 1, sizeof(isl_int));
		problem->tab = isl_tab_alloc(ctx, rows, variables, 0);
		isl_tab_extend_cons(problem->tab, rows);
		for (int row = 0; row < rows; row++) {
			for (int column = 0; column <= variables; column++)
				set_integer(line[column], number());
			isl_tab_add_row(problem->tab, line);
		}
		problem->pivots = number();
		problem->positions = calloc(2 * problem->pivots, sizeof(int));
		for (int at = 0; at < 2 * problem->pivots; at++)
			problem->positions[at] = number();
	}
}

static char *text_of(isl_val *value)
{
	char *text = isl_val_is_nan(value) ? strdup("empty")
		: isl_val_is_int(value) || isl_val_is_rat(value) ? isl_val_to_str(value) : strdup("unbounded");
	isl_val_free(value);
	return text;
}

/* Solves a problem; its last answer is kept. */
static uint64_t solve(struct problem *problem, long times)
{
	uint64_t begin = now(), end;
	isl_val *value = NULL;
	isl_set *fewer = NULL;
	int answer = 0;
	for (long time = 0; time < times; time++) {
		if (problem->objective) {
			isl_val_free(value);
			value = isl_basic_set_min_lp_val(problem->set, problem->objective);
		} else if (problem->set) {
			answer = isl_basic_set_is_empty(problem->set);
		} else if (problem->other) {
			answer = isl_set_is_equal(problem->all, problem->other);
		} else if (problem->all) {
			isl_set_free(fewer);
			fewer = isl_set_coalesce(isl_set_copy(problem->all));
		} else {
			for (int at = 0; at < problem->pivots; at++)
				isl_tab_pivot(problem->tab, problem->positions[2 * at], problem->positions[2 * at + 1]);
		}
	}
	end = now();
	if (value)
		problem->answer = text_of(value);
	else if (fewer)
		sprintf(problem->answer = malloc(16), "%d", isl_set_n_basic_set(fewer));
	else
		problem->answer = strdup(problem->other ? (answer ? "equal" : "different")
			: problem->set ? (answer ? "empty" : "point") : "done");
	isl_set_free(fewer);
	return end - begin;
}

static void release(struct problem *problem)
{
	isl_basic_set_free(problem->set);
	isl_aff_free(problem->objective);
	isl_set_free(problem->all);
	isl_set_free(problem->other);
	isl_tab_free(problem->tab);
	free(problem->positions);
	free(problem->answer);
}

int main(void)
{
	char kind[16], mode[8];
	ctx = isl_ctx_alloc();
	isl_options_set_on_error(ctx, ISL_ON_ERROR_ABORT);
	while (scanf("%15s %7s", kind, mode) == 2) {
		long count = number(), times = number();
		int cold = !strcmp(mode, "cold");
		struct problem *problems = calloc(count, sizeof(struct problem));
		uint64_t total = 0;
		for (long at = 0; at < count; at++)
			read_problem(kind, &problems[at]);
		for (long at = 0; at < count; at++) {
			if (cold)
				evict();
			total += solve(&problems[at], times);
		}
		printf("%llu\n", (unsigned long long)total);
		for (long at = 0; at < count; at++) {
			printf("%s\n", problems[at].answer);
			release(&problems[at]);
		}
		fflush(stdout);
		free(problems);
	}
	isl_ctx_free(ctx);
	return 0;
}
