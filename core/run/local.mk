libcore_a_SOURCES += \
	core/run/attempt.h core/run/attempt_state.h \
	core/run/attempt_clock.c core/run/attempt_life.c \
	core/run/account.c core/run/account.h \
	core/run/author.c core/run/author.h \
	core/run/author_prompt.c core/run/author_prompt.h \
	core/run/run_model.c core/run/run_state.h \
	core/run/provider.c core/run/provider.h \
	core/run/key.c core/run/key.h \
	core/run/bridge.c core/run/bridge.h \
	core/run/calls.h core/run/calls_state.h \
	core/run/calls_answer.c core/run/calls_budget.c core/run/calls_budget.h core/run/calls_repeat.c core/run/calls_decide.c core/run/calls_edit.c \
	core/run/calls_grant.c core/run/calls_grant.h \
	core/run/calls_new.c core/run/calls_way.c \
	core/run/console.c core/run/console.h \
	core/run/journal.c core/run/journal.h \
	core/run/journal_call.c core/run/journal_gate.c \
	core/run/journal_model.c core/run/journal_model.h \
	core/run/programs.c core/run/programs.h \
	core/run/requests.c core/run/requests.h \
	core/run/requests_fields.c core/run/requests_fields.h \
	core/run/requests_gate.c core/run/requests_gate.h \
	core/run/run_life.c core/run/run.h \
	core/run/supervisor.c core/run/supervisor.h \
	core/run/configuration.h core/run/configuration_parts.h \
	core/run/configuration_accept.c \
	core/run/configuration_bindings.c \
	core/run/configuration_diff.c core/run/configuration_diff.h \
	core/run/configuration_files.c core/run/configuration_files.h \
	core/run/configuration_keys.c \
	core/run/configuration_layers.c \
	core/run/configuration_command.c core/run/configuration_model.c \
	core/run/configuration_settings.c \
	core/run/configuration_tools.c \
	core/run/configuration_write.c \
	core/run/covers.c core/run/covers.h \
	core/run/later.def core/run/settings.def \
	core/run/near.c core/run/near.h \
	core/run/spawn.c core/run/spawn.h

tollbridge_supervisor_SOURCES += core/run/main.c
