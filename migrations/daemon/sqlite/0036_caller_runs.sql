CREATE TABLE `caller_runs` (
	`tenant` text NOT NULL,
	`id` text NOT NULL,
	`key` text,
	`request_hash` text NOT NULL,
	`agent` text NOT NULL,
	`session_id` text NOT NULL,
	`status` text NOT NULL,
	`request` text NOT NULL,
	`answer` text,
	`created_at` integer NOT NULL,
	`owner` text,
	PRIMARY KEY(`tenant`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `caller_runs_key` ON `caller_runs` (`tenant`,`key`);
--> statement-breakpoint
CREATE INDEX `caller_runs_status` ON `caller_runs` (`status`,`agent`);
--> statement-breakpoint
CREATE INDEX `caller_runs_agent` ON `caller_runs` (`tenant`,`agent`,`session_id`);
--> statement-breakpoint
CREATE INDEX `caller_runs_age` ON `caller_runs` (`created_at`);
--> statement-breakpoint
ALTER TABLE `responses` ADD `request` text;
