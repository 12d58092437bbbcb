libcore_a_SOURCES += \
	core/record/canonical.c core/record/canonical.h \
	core/record/event.c core/record/event.h \
	core/record/events.def \
	core/record/folder.c core/record/folder.h \
	core/record/reader.c core/record/reader.h \
	core/record/store.c core/record/store.h \
	core/record/store_inside.h core/record/store_list.c core/record/store_socket.c \
	core/record/order_grants.c core/record/order_grants.h \
	core/record/order_run.c core/record/order_run.h \
	core/record/verify.c core/record/verify.h \
	core/record/verify_order.c core/record/verify_order.h \
	core/record/writer.c core/record/writer.h
