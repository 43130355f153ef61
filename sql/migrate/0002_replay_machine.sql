-- Replays under another machine than the recorded one.  t_machine and the tables beside it hold
-- such machines too: file is then what --machine was given, which is a path or "recorded,EDITS".
ALTER TABLE t_replay ADD COLUMN
	machine_id -- machine that the policies decided for; NULL: the recorded one
	INTEGER;
