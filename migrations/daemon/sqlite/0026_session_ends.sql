CREATE TABLE `session_ends` (
	`tenant` text NOT NULL,
	`agent` text NOT NULL,
	`session_id` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`tenant`, `agent`, `session_id`)
);
--> statement-breakpoint
CREATE INDEX `session_ends_by_time` ON `session_ends` (`at`);
