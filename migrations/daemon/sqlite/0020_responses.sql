CREATE TABLE `responses` (
	`tenant` text NOT NULL,
	`id` text NOT NULL,
	`status` text NOT NULL,
	`agent` text,
	`body` text NOT NULL,
	`input` text NOT NULL,
	`previous_id` text,
	`session_id` text,
	`created_at` integer NOT NULL,
	`owner` text,
	`held_until` integer,
	PRIMARY KEY(`tenant`, `id`)
);
--> statement-breakpoint
CREATE INDEX `responses_agent` ON `responses` (`tenant`,`agent`);
--> statement-breakpoint
CREATE INDEX `responses_age` ON `responses` (`created_at`);
--> statement-breakpoint
CREATE INDEX `responses_held` ON `responses` (`status`,`held_until`);
