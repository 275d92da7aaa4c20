DROP TRIGGER IF EXISTS `traces_counted_insert`;
--> statement-breakpoint
DROP TRIGGER IF EXISTS `traces_counted_update`;
--> statement-breakpoint
DROP TRIGGER IF EXISTS `traces_counted_delete`;
--> statement-breakpoint
PRAGMA foreign_keys=OFF;
--> statement-breakpoint
CREATE TABLE `__new_usage_tallies` (
	`tenant` text NOT NULL,
	`starts_at` integer NOT NULL,
	`agent` text NOT NULL,
	`provider` text NOT NULL,
	`model` text NOT NULL,
	`source` text DEFAULT 'production' NOT NULL,
	`cost_micros` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`calls` integer NOT NULL,
	`unpriced_calls` integer NOT NULL,
	`estimated_calls` integer NOT NULL,
	`latency_ms` real NOT NULL,
	PRIMARY KEY(`tenant`, `starts_at`, `agent`, `provider`, `model`, `source`)
);
--> statement-breakpoint
INSERT INTO `__new_usage_tallies`("tenant", "starts_at", "agent", "provider", "model", "cost_micros", "input_tokens", "output_tokens", "calls", "unpriced_calls", "estimated_calls", "latency_ms") SELECT "tenant", "starts_at", "agent", "provider", "model", "cost_micros", "input_tokens", "output_tokens", "calls", "unpriced_calls", "estimated_calls", "latency_ms" FROM `usage_tallies`;
--> statement-breakpoint
DROP TABLE `usage_tallies`;
--> statement-breakpoint
ALTER TABLE `__new_usage_tallies` RENAME TO `usage_tallies`;
--> statement-breakpoint
PRAGMA foreign_keys=ON;
--> statement-breakpoint
ALTER TABLE `traces` ADD `source` text;
--> statement-breakpoint
ALTER TABLE `run_facts` ADD `source` text DEFAULT 'production' NOT NULL;
--> statement-breakpoint
ALTER TABLE `usage_records` ADD `source` text DEFAULT 'production' NOT NULL;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `traces_counted_insert` AFTER INSERT ON `traces` WHEN NEW.`tenant` IS NOT NULL AND NEW.`tenant` <> 'operator' BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant`, 'traces', 96 + coalesce(octet_length(NEW.`tenant`), 0) + coalesce(octet_length(NEW.`trace_id`), 0) + coalesce(octet_length(NEW.`agent`), 0) + coalesce(octet_length(NEW.`session_id`), 0) + coalesce(octet_length(NEW.`status`), 0) + coalesce(octet_length(NEW.`body`), 0) + coalesce(octet_length(NEW.`model`), 0) + coalesce(octet_length(NEW.`source`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `traces_counted_update` AFTER UPDATE OF `tenant`, `trace_id`, `agent`, `session_id`, `status`, `body`, `model`, `source` ON `traces` WHEN NEW.`tenant` IS NOT NULL AND NEW.`tenant` <> 'operator' AND (96 + coalesce(octet_length(NEW.`tenant`), 0) + coalesce(octet_length(NEW.`trace_id`), 0) + coalesce(octet_length(NEW.`agent`), 0) + coalesce(octet_length(NEW.`session_id`), 0) + coalesce(octet_length(NEW.`status`), 0) + coalesce(octet_length(NEW.`body`), 0) + coalesce(octet_length(NEW.`model`), 0) + coalesce(octet_length(NEW.`source`), 0)) <> (96 + coalesce(octet_length(OLD.`tenant`), 0) + coalesce(octet_length(OLD.`trace_id`), 0) + coalesce(octet_length(OLD.`agent`), 0) + coalesce(octet_length(OLD.`session_id`), 0) + coalesce(octet_length(OLD.`status`), 0) + coalesce(octet_length(OLD.`body`), 0) + coalesce(octet_length(OLD.`model`), 0) + coalesce(octet_length(OLD.`source`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant`, 'traces', (96 + coalesce(octet_length(NEW.`tenant`), 0) + coalesce(octet_length(NEW.`trace_id`), 0) + coalesce(octet_length(NEW.`agent`), 0) + coalesce(octet_length(NEW.`session_id`), 0) + coalesce(octet_length(NEW.`status`), 0) + coalesce(octet_length(NEW.`body`), 0) + coalesce(octet_length(NEW.`model`), 0) + coalesce(octet_length(NEW.`source`), 0)) - (96 + coalesce(octet_length(OLD.`tenant`), 0) + coalesce(octet_length(OLD.`trace_id`), 0) + coalesce(octet_length(OLD.`agent`), 0) + coalesce(octet_length(OLD.`session_id`), 0) + coalesce(octet_length(OLD.`status`), 0) + coalesce(octet_length(OLD.`body`), 0) + coalesce(octet_length(OLD.`model`), 0) + coalesce(octet_length(OLD.`source`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `traces_counted_delete` AFTER DELETE ON `traces` WHEN OLD.`tenant` IS NOT NULL AND OLD.`tenant` <> 'operator' BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`tenant`, 'traces', -(96 + coalesce(octet_length(OLD.`tenant`), 0) + coalesce(octet_length(OLD.`trace_id`), 0) + coalesce(octet_length(OLD.`agent`), 0) + coalesce(octet_length(OLD.`session_id`), 0) + coalesce(octet_length(OLD.`status`), 0) + coalesce(octet_length(OLD.`body`), 0) + coalesce(octet_length(OLD.`model`), 0) + coalesce(octet_length(OLD.`source`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
