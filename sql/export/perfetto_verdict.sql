-- Verdicts of replay :replay in the order of wakeups.
SELECT wakeup_id, cpu, reason, detail, agrees, violation, unknown, price, wait_dur, kernel_wait_dur
FROM verdict
WHERE replay_id = :replay
ORDER BY wakeup_id
