/*
 * Words are chosen first, by the width of the whole row; the line gets a share of it that does not
 * change while the film plays, so that nothing moves but its place.
 */
#include "config.h"

#include "tui/timeline.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "tui/film.h"

#define GAP 3
#define CELLS_MIN 8
#define CELLS_MAX 150
#define NARROW 60 /* below this the words are short */
#define ROOMY 100 /* from here on the idle limit is said */
#define WORDS 64
#define MINUTE 60
#define HOUR 3600

int
timeline_cell(int64_t mono, int64_t length, int cells)
{
	double share = length > 0 ? (double)mono / (double)length : 0;

	if (share <= 0 || cells < 2)
		return 0;
	/* Only what lies between the ends fits an int for certain. */
	return share >= 1 ? cells - 1 : (int)(share * (cells - 1) + 0.5);
}

void
timeline_clock(int64_t mono, char out[TIMELINE_CLOCK])
{
	long long seconds = (long long)(mono / NS_PER_S);

	if (seconds >= HOUR)
		snprintf(out, TIMELINE_CLOCK, "%lld:%02lld:%02lld", seconds / HOUR,
			seconds / MINUTE % MINUTE, seconds % MINUTE);
	else
		snprintf(out, TIMELINE_CLOCK, "%lld:%02lld", seconds / MINUTE, seconds % MINUTE);
}

/* --- the line --- */

static void
draw_marks(struct canvas *canvas, struct rect line, const struct timeline *timeline)
{
	static const struct {
		const char *glyph;
		enum style style;
	} looks[] = {
		[REPLAY_APPROVED] = { "◆", STYLE_APPROVED },
		[REPLAY_DENIED] = { "◇", STYLE_DENIED },
		[REPLAY_FAILED] = { "✕", STYLE_FAILED },
	};
	signed char worst[CELLS_MAX];

	memset(worst, -1, sizeof(worst));
	for (size_t i = 0; i < timeline->marks; i++) {
		struct replay_mark mark = timeline->mark(i, timeline->arg);
		int cell = timeline_cell(mark.mono, timeline->length, line.w);

		if ((int)mark.kind > worst[cell])
			worst[cell] = (signed char)mark.kind;
	}
	for (int i = 0; i < line.w; i++)
		if (worst[i] >= 0)
			canvas_text(canvas, line.x + i, line.y, looks[worst[i]].style,
				looks[worst[i]].glyph);
}

static int
draw_line(struct canvas *canvas, struct rect line, const struct timeline *timeline)
{
	int here = timeline_cell(timeline->film->at, timeline->length, line.w);

	canvas_hline(canvas, line.x, line.y, line.w, STYLE_TIMELINE);
	draw_marks(canvas, line, timeline);
	canvas_text(canvas, line.x + here, line.y, STYLE_TIMELINE_HERE, "●");
	return line.x + line.w;
}

/* --- the words --- */

static void
decision_words(const struct timeline *timeline, bool narrow, char out[WORDS])
{
	unsigned long long at = timeline->decision, all = timeline->decisions;

	if (all == 0)
		snprintf(out, WORDS, "%s", narrow ? "" : "no decisions");
	else if (narrow)
		snprintf(out, WORDS, "%llu/%llu", at, all);
	else if (at == 0)
		snprintf(out, WORDS, "%llu decision%s", all, all == 1 ? "" : "s");
	else
		snprintf(out, WORDS, "decision %llu of %llu", at, all);
}

static int
draw_speed(struct canvas *canvas, int x, int y, const struct film *film)
{
	char speed[FILM_WORDS];
	const char *state = canvas_is_ascii(canvas) ? "||" : "▮▮";

	film_speed_words(film, speed);
	x = canvas_text(canvas, x, y, STYLE_TIMELINE_HERE, film->playing ? ">>" : state);
	return canvas_text(canvas, x + 1, y, STYLE_TEXT, speed);
}

static int
draw_idle(struct canvas *canvas, int x, int y, const struct film *film)
{
	if (film->idle == 0)
		return x;
	return canvas_printf(canvas, x + GAP, y, STYLE_DIM, "idle %lld.%lld s",
		(long long)(film->idle / NS_PER_S),
		(long long)(film->idle % NS_PER_S * 10 / NS_PER_S));
}

/* A fifth of the row; what the words need comes first. */
static int
cells_of(int width, int words)
{
	int cells = width / 5;

	if (cells > width - words)
		cells = width - words;
	if (cells < CELLS_MIN)
		cells = CELLS_MIN;
	return cells > CELLS_MAX ? CELLS_MAX : cells;
}

int
timeline_draw(struct canvas *canvas, struct rect rect, const struct timeline *timeline)
{
	bool narrow = rect.w < NARROW;
	int gap = narrow ? 1 : GAP;
	int x = rect.x;
	char begin[TIMELINE_CLOCK], end[TIMELINE_CLOCK], words[WORDS];
	int width;

	timeline_clock(timeline->length, end);
	timeline_clock(timeline->film->at, begin);
	decision_words(timeline, narrow, words);
	width = 2 * (int)strlen(end) + 2 +
		(timeline->beware ? (int)strlen(timeline->beware) + 1 : 0) + gap + 2 + FILM_WORDS -
		1 + gap + (int)strlen(words);
	/* As wide as the end: the line does not move. */
	x = canvas_printf(canvas, x, rect.y, STYLE_TEXT, "%*s", (int)strlen(end), begin) + 1;
	x = draw_line(canvas, rect_make(x, rect.y, cells_of(rect.w, width), 1), timeline) + 1;
	x = canvas_text(canvas, x, rect.y, STYLE_TEXT, end);
	if (timeline->beware)
		x = canvas_text(canvas, x + 1, rect.y, STYLE_WARNING, timeline->beware);
	x = draw_speed(canvas, x + gap, rect.y, timeline->film);
	if (rect.w >= ROOMY)
		x = draw_idle(canvas, x, rect.y, timeline->film);
	if (words[0])
		x = canvas_text(canvas, x + gap, rect.y, STYLE_TEXT, words);
	return x + GAP;
}
