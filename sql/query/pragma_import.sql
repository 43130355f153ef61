-- For a file that nobody else knows of yet: no journal to roll back with, no waiting for the disk
-- (it is synced once, before it gets its name), bounded memory.
PRAGMA page_size = 8192;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA cache_size = -16384;
PRAGMA temp_store = MEMORY;
