PRAGMA secure_delete = OFF;
PRAGMA cache_size = -16384;
PRAGMA cell_size_check = ON;
