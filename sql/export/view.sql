-- A view of all runs.  Here and in view_of_….sql, "replay" after the first FROM stands for any view.
SELECT * FROM replay
