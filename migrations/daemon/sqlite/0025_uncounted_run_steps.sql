DROP TRIGGER IF EXISTS `run_steps_counted_insert`;
--> statement-breakpoint
DROP TRIGGER IF EXISTS `run_steps_counted_update`;
--> statement-breakpoint
DROP TRIGGER IF EXISTS `run_steps_counted_delete`;
