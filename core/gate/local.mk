libcore_a_SOURCES +=
