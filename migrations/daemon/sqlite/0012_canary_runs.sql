CREATE TABLE `canary_runs` (
	`tenant` text NOT NULL,
	`trace_id` text NOT NULL,
	`agent` text NOT NULL,
	`canary` text NOT NULL,
	`is_canary` integer NOT NULL,
	`failed` integer NOT NULL,
	`cost_usd` real,
	`at` integer NOT NULL,
	PRIMARY KEY(`tenant`, `trace_id`)
);
--> statement-breakpoint
CREATE INDEX `canary_runs_agent` ON `canary_runs` (`tenant`,`agent`,`canary`);
