libcore_a_SOURCES += \
	core/gate/budget.c core/gate/budget.h \
	core/gate/multiple.c core/gate/multiple.h \
	core/gate/facts.c core/gate/facts.h \
	core/gate/denials.c core/gate/denials.h \
	core/gate/gate.h core/gate/gate_state.h core/gate/gate_clock.c core/gate/gate_door.c \
	core/gate/gate_edit.c \
	core/gate/glob.c core/gate/glob.h \
	core/gate/pattern.c core/gate/pattern.h \
	core/gate/policy.c core/gate/policy.h \
	core/gate/schema.h core/gate/schema_node.h \
	core/gate/schema_check.c core/gate/schema_compile.c
