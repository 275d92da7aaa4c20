CREATE TABLE `approvals` (
	`tenant` text NOT NULL,
	`id` text NOT NULL,
	`agent` text NOT NULL,
	`session_id` text NOT NULL,
	`status` text NOT NULL,
	`fingerprint` text NOT NULL,
	`asked` text NOT NULL,
	`run` text,
	`comment` text,
	`outcome` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`decided_at` integer,
	`ended_at` integer,
	`owner` text,
	`held_until` integer,
	`next_id` text,
	PRIMARY KEY(`tenant`, `id`)
);
--> statement-breakpoint
CREATE INDEX `approvals_agent` ON `approvals` (`tenant`,`agent`,`id`);
--> statement-breakpoint
CREATE INDEX `approvals_due` ON `approvals` (`status`,`expires_at`);
--> statement-breakpoint
CREATE INDEX `approvals_age` ON `approvals` (`ended_at`);
