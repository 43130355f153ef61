-- An upgraded copy of a large file must not be held in memory.
PRAGMA temp_store = DEFAULT;
