/* Records that keep an order, or break it, one after the other past verify. */
#ifndef TESTS_RECORD_ORDER_CASES_H
#define TESTS_RECORD_ORDER_CASES_H

#include <stddef.h>
#include <unistd.h>

#include "core/base/io.h"
#include "core/record/verify.h"
#include "tests/record/make_record.h"

#define RAISE "payroll.apply_raise"

struct order_case {
	const char *what;
	void (*build)(struct make *make); /* between the start and the end of a session */
	enum verify_code code;
};

static inline void
request_ruled_held(struct make *make)
{
	make_request(make, RAISE, "{}", 1);
	make_ruled(make, 1, "ask", NULL);
	make_held(make, 1, 60);
}

static inline void
finish(struct make *make)
{
	make_call_start(make, 1);
	make_call_end(make, 1, "ok", "1");
}

static inline void
order_cases_hold(const struct order_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct verify_result result;
		struct make make;
		AUTO_CLOSE int fd = make_file();

		make_open(&make, dup(fd));
		make_start(&make, "x-1");
		cases[i].build(&make);
		make_end(&make, "ok", 0);
		make_close(&make);
		verify_fd(fd, NULL, &result);
		if (result.code != cases[i].code)
			fail_msg("%s: %d %s", cases[i].what, result.code, result.text);
	}
}

#endif
