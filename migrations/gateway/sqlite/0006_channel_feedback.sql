CREATE TABLE `reactions` (
	`tenant_id` text NOT NULL,
	`account_id` text NOT NULL,
	`message_id` text NOT NULL,
	`channel_message_id` text NOT NULL,
	`address` text NOT NULL,
	`emoji` text,
	`rating` text,
	`invocation_id` text,
	`at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `message_id`, `channel_message_id`, `address`)
);
--> statement-breakpoint
CREATE INDEX `reactions_run` ON `reactions` (`tenant_id`,`invocation_id`);
--> statement-breakpoint
CREATE INDEX `reactions_age` ON `reactions` (`at`);
--> statement-breakpoint
ALTER TABLE `outbox` ADD `invocation_id` text;
