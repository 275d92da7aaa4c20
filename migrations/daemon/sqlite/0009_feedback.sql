CREATE TABLE `feedback` (
	`tenant` text NOT NULL,
	`trace_id` text NOT NULL,
	`rating` text,
	`body` text NOT NULL,
	`at` integer NOT NULL,
	`started_at` integer NOT NULL,
	PRIMARY KEY(`tenant`, `trace_id`)
);
--> statement-breakpoint
CREATE INDEX `feedback_age` ON `feedback` (`started_at`);
