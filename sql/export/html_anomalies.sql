-- What was impossible, dropped, clamped or guessed.
SELECT a.name, a.count, a.first_ts - r.first_ts AS first_ts, a.first_cpu, a.help
FROM anomaly a
JOIN run r ON r.run_id = a.run_id
WHERE a.run_id = :run
ORDER BY a.count DESC, a.name;
