DROP INDEX `outbox_due`;
--> statement-breakpoint
DROP INDEX `outbox_account`;
--> statement-breakpoint
DROP INDEX `outbox_lane`;
--> statement-breakpoint
DROP INDEX `outbox_channel_message`;
--> statement-breakpoint
ALTER TABLE `outbox` ADD `is_ready` integer NOT NULL;
--> statement-breakpoint
CREATE INDEX `outbox_ready` ON `outbox` (`due_at`,`id`) WHERE "outbox"."is_ready";
--> statement-breakpoint
CREATE INDEX `outbox_leased` ON `outbox` (`lease_until`) WHERE "outbox"."status" = 'sending';
--> statement-breakpoint
CREATE INDEX `outbox_expiry` ON `outbox` (`expires_at`) WHERE "outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX `outbox_waiting` ON `outbox` (`waiting_since`) WHERE "outbox"."lane" is not null and "outbox"."waiting_since" is not null;
--> statement-breakpoint
CREATE INDEX `outbox_lane` ON `outbox` (`lane`,`id`) WHERE "outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX `outbox_channel_message` ON `outbox` (`channel_message_id`) WHERE "outbox"."channel_message_id" is not null;
