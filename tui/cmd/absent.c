/* The console, until it is there: this gives way to the real one. */
#include "config.h"

#include "core/base/err.h"
#include "tui/app.h"

__attribute__((weak)) int
app_run(const struct app_request *request, struct app_result *result, struct err *err)
{
	(void)request, (void)result;
	return err_set(err, ERR_USAGE, "the console is not available in this version");
}
