tollbridge_SOURCES +=
