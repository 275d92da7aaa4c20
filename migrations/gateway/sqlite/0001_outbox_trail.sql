CREATE TABLE `trail` (
	`id` text PRIMARY KEY NOT NULL,
	`message_id` text NOT NULL,
	`tenant_id` text,
	`account_id` text,
	`channel` text NOT NULL,
	`direction` text NOT NULL,
	`event` text NOT NULL,
	`address` text,
	`channel_message_id` text,
	`related_id` text,
	`details` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `trail_message` ON `trail` (`message_id`,`id`);
--> statement-breakpoint
CREATE INDEX `trail_channel_message` ON `trail` (`channel_message_id`);
--> statement-breakpoint
CREATE INDEX `trail_address` ON `trail` (`address`,`id`);
--> statement-breakpoint
CREATE INDEX `trail_related` ON `trail` (`related_id`);
--> statement-breakpoint
CREATE INDEX `trail_age` ON `trail` (`at`);
--> statement-breakpoint
DROP INDEX `outbox_due`;
--> statement-breakpoint
DROP INDEX `outbox_account`;
--> statement-breakpoint
DROP INDEX `outbox_lane`;
--> statement-breakpoint
DROP INDEX `outbox_channel_message`;
--> statement-breakpoint
ALTER TABLE `outbox` ADD `is_ready` integer DEFAULT false NOT NULL;
--> statement-breakpoint
CREATE INDEX `outbox_ready` ON `outbox` (`due_at`,`id`) WHERE "outbox"."is_ready";
--> statement-breakpoint
CREATE INDEX `outbox_leased` ON `outbox` (`lease_until`) WHERE "outbox"."status" = 'sending';
--> statement-breakpoint
CREATE INDEX `outbox_expiry` ON `outbox` (`expires_at`) WHERE "outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX `outbox_waiting` ON `outbox` (`waiting_since`) WHERE "outbox"."lane" is not null and "outbox"."waiting_since" is not null;
--> statement-breakpoint
CREATE INDEX `outbox_recipient` ON `outbox` (`recipient`,`id`);
--> statement-breakpoint
CREATE INDEX `outbox_lane` ON `outbox` (`lane`,`id`) WHERE "outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX `outbox_channel_message` ON `outbox` (`channel_message_id`) WHERE "outbox"."channel_message_id" is not null;
--> statement-breakpoint
UPDATE `outbox` SET `is_ready` = 1 WHERE `status` = 'pending';
