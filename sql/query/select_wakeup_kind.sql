-- What kind of wakeup ?1 is.
SELECT kind FROM wakeup WHERE id = ?1;
