libcore_a_SOURCES += \
	core/gate/bounds.c core/gate/bounds.h \
	core/gate/budget.c core/gate/budget.h \
	core/gate/grants.c core/gate/grants.h \
	core/gate/multiple.c core/gate/multiple.h \
	core/gate/facts.c core/gate/facts.h \
	core/gate/denials.c core/gate/denials.h \
	core/gate/gate.h core/gate/gate_state.h core/gate/gate_clock.c core/gate/gate_door.c \
	core/gate/gate_edit.c core/gate/gate_words.c \
	core/gate/glob.c core/gate/glob.h \
	core/gate/pattern.c core/gate/pattern.h \
	core/gate/policy.h core/gate/policy_state.h \
	core/gate/policy_compile.c core/gate/policy_ruling.c core/gate/policy_tools.c \
	core/gate/repeats.c core/gate/repeats.h \
	core/gate/schema.h core/gate/schema_node.h \
	core/gate/schema_check.c core/gate/schema_compile.c
