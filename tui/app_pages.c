/* Pages to read: each is made from the session when it is drawn, and decides nothing. */
#include "config.h"

#include "tui/app_inside.h"

#include "core/base/mem.h"
#include "tui/document.h"
#include "tui/rows.h"
#include "tui/view_page.h"

/* A replay may have gone back to before the call was asked. */
static struct rows *
not_yet(int cols)
{
	struct rows *rows = rows_new(cols);

	rows_field(rows, NULL);
	rows_words(rows, STYLE_DIM, "this call has not been asked here yet");
	rows_finish(rows);
	return rows;
}

static struct rows *
make_explain(const struct view_scene *scene, int cols, enum text_mode mode, const void *about)
{
	const uint64_t *number = about;
	const struct session_call *call = session_call(scene->session, *number);

	return call ? document_explain(call, cols, mode) : not_yet(cols);
}

static struct rows *
make_detail(const struct view_scene *scene, int cols, enum text_mode mode, const void *about)
{
	const uint64_t *number = about;
	const struct session_call *call = session_call(scene->session, *number);

	return call ? document_detail(scene->session, call, cols, mode) : not_yet(cols);
}

static struct rows *
make_difference(const struct view_scene *scene, int cols, enum text_mode mode, const void *about)
{
	const uint64_t *number = about;
	const struct session_call *call = session_call(scene->session, *number);

	return call ? document_difference(scene->session, call, cols, mode) : not_yet(cols);
}

static struct rows *
make_session(const struct view_scene *scene, int cols, enum text_mode mode, const void *about)
{
	(void)about;
	return document_session(scene->session, cols, mode);
}

static void
push_call(struct app *app, const char *what, enum map map, uint64_t call)
{
	AUTO_FREE char *title = mem_printf("%s %llu", what, (unsigned long long)call);
	struct view_page_look look = { .title = title,
		.map = map,
		.foreign = true,
		.make = map == MAP_EXPLAIN      ? make_explain
			: map == MAP_DIFFERENCE ? make_difference
						: make_detail,
		.about = &call,
		.about_size = sizeof(call) };

	if (session_call(&app->session, call))
		app_push(app, view_page_new(&look));
}

void
app_page_explain(struct app *app, uint64_t call)
{
	push_call(app, "why the rules hold call", MAP_EXPLAIN, call);
}

void
app_page_difference(struct app *app, uint64_t call)
{
	push_call(app, "what differs in call", MAP_DIFFERENCE, call);
}

void
app_page_detail(struct app *app, uint64_t call)
{
	push_call(app, "call", MAP_HELP, call);
}

void
app_page_session(struct app *app)
{
	struct view_page_look look = { .title = "budget, sandbox, tools",
		.map = MAP_HELP,
		.foreign = true,
		.make = make_session };

	app_push(app, view_page_new(&look));
}

static struct rows *
make_answer(const struct view_scene *scene, int cols, enum text_mode mode, const void *about)
{
	struct rows *rows = rows_new(cols);
	const struct blob *answer = &scene->session->answer;

	(void)about;
	rows_field(rows, "task");
	rows_prose(rows, STYLE_VALUE, blob_text(&scene->session->task), TEXT_STRICT);
	rows_divide(rows, "the answer");
	if (answer->bytes) {
		rows_field(rows, "");
		rows_prose(rows, STYLE_TEXT, blob_text(answer),
			mode == TEXT_STRICT ? TEXT_STRICT : TEXT_LINES);
	} else {
		rows_words(rows, STYLE_DIM, "there is none here yet");
	}
	rows_finish(rows);
	return rows;
}

void
app_page_answer(struct app *app)
{
	struct view_page_look look = { .title = "the answer",
		.map = MAP_HELP,
		.foreign = true,
		.mode = TEXT_TEXT,
		.make = make_answer };

	app_push(app, view_page_new(&look));
}
