DROP TRIGGER IF EXISTS "run_steps_counted" ON "daemon"."run_steps";
