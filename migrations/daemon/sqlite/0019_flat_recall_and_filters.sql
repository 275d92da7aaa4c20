DROP INDEX `episodes_by_importance`;
--> statement-breakpoint
CREATE INDEX `episodes_newest_of_user` ON `episodes` (`tenant`,`agent`,`user_name`,`at`,`id`,`importance`);
--> statement-breakpoint
CREATE INDEX `episodes_important_of_user` ON `episodes` (`tenant`,`agent`,`user_name`,`importance`,`at`,`id`);
--> statement-breakpoint
CREATE INDEX `traces_slowest_of_agent` ON `traces` (`tenant`,`agent`,`duration_ms`,`trace_id`);
--> statement-breakpoint
CREATE INDEX `traces_dearest_of_agent` ON `traces` (`tenant`,`agent`,`cost_micros`,`trace_id`);
--> statement-breakpoint
CREATE INDEX `traces_newest_of_session` ON `traces` (`tenant`,`session_id`,`started_at`,`trace_id`);
--> statement-breakpoint
CREATE INDEX `traces_newest_of_model` ON `traces` (`tenant`,`model`,`started_at`,`trace_id`);
