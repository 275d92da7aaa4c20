CREATE TABLE `channel_inbound` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`channel` text NOT NULL,
	`account_id` text NOT NULL,
	`dedupe_key` text NOT NULL,
	`kind` text NOT NULL,
	`event` text NOT NULL,
	`channel_message_id` text,
	`lane` text,
	`state` text NOT NULL,
	`tries` integer NOT NULL,
	`interruptions` integer NOT NULL,
	`due_at` integer NOT NULL,
	`sent_at` integer NOT NULL,
	`received_at` integer NOT NULL,
	`owner` text,
	`attempt_id` text,
	`lease_until` integer,
	`conversation_id` text,
	`plan` text,
	`invocation_id` text,
	`outcome` text,
	`closed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `channel_inbound_dedupe` ON `channel_inbound` (`account_id`,`dedupe_key`);
--> statement-breakpoint
CREATE INDEX `channel_inbound_due` ON `channel_inbound` (`state`,`due_at`,`id`);
--> statement-breakpoint
CREATE INDEX `channel_inbound_lane` ON `channel_inbound` (`lane`,`sent_at`,`id`);
--> statement-breakpoint
CREATE INDEX `channel_inbound_account` ON `channel_inbound` (`account_id`,`state`);
--> statement-breakpoint
CREATE INDEX `channel_inbound_conversation` ON `channel_inbound` (`conversation_id`,`closed_at`);
--> statement-breakpoint
CREATE INDEX `channel_inbound_message` ON `channel_inbound` (`channel_message_id`);
--> statement-breakpoint
CREATE INDEX `channel_inbound_age` ON `channel_inbound` (`received_at`);
--> statement-breakpoint
CREATE TABLE `channel_outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`channel` text NOT NULL,
	`account_id` text NOT NULL,
	`recipient` text NOT NULL,
	`conversation_id` text,
	`source` text NOT NULL,
	`payload` text NOT NULL,
	`lane` text,
	`is_ready` integer DEFAULT false NOT NULL,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`unknowns` integer NOT NULL,
	`is_unsettled` integer NOT NULL,
	`last_error` text,
	`due_at` integer NOT NULL,
	`waiting_since` integer,
	`expires_at` integer NOT NULL,
	`owner` text,
	`attempt_id` text,
	`lease_until` integer,
	`created_at` integer NOT NULL,
	`sent_at` integer,
	`parts_done` integer NOT NULL,
	`channel_message_id` text,
	`delivery_status` text,
	`invocation_id` text,
	`idempotency_key` text,
	`idempotency_digest` text
);
--> statement-breakpoint
CREATE INDEX `channel_outbox_ready` ON `channel_outbox` (`due_at`,`id`) WHERE "channel_outbox"."is_ready";
--> statement-breakpoint
CREATE INDEX `channel_outbox_leased` ON `channel_outbox` (`lease_until`) WHERE "channel_outbox"."status" = 'sending';
--> statement-breakpoint
CREATE INDEX `channel_outbox_open` ON `channel_outbox` (`tenant_id`,`account_id`) WHERE "channel_outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX `channel_outbox_expiry` ON `channel_outbox` (`expires_at`) WHERE "channel_outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX `channel_outbox_lane` ON `channel_outbox` (`lane`,`id`) WHERE "channel_outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX `channel_outbox_waiting` ON `channel_outbox` (`waiting_since`) WHERE "channel_outbox"."lane" is not null and "channel_outbox"."waiting_since" is not null;
--> statement-breakpoint
CREATE INDEX `channel_outbox_tenant` ON `channel_outbox` (`tenant_id`,`id`);
--> statement-breakpoint
CREATE INDEX `channel_outbox_channel_message` ON `channel_outbox` (`channel_message_id`) WHERE "channel_outbox"."channel_message_id" is not null;
--> statement-breakpoint
CREATE INDEX `channel_outbox_recipient` ON `channel_outbox` (`recipient`,`id`);
--> statement-breakpoint
CREATE INDEX `channel_outbox_age` ON `channel_outbox` (`created_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `channel_outbox_idempotency` ON `channel_outbox` (`tenant_id`,`idempotency_key`);
--> statement-breakpoint
CREATE TABLE `channel_accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`paused_reason` text,
	`quiet_until` integer
);
--> statement-breakpoint
CREATE TABLE `channel_senders` (
	`account` text NOT NULL,
	`sender` text NOT NULL,
	`started_at` integer NOT NULL,
	`messages` integer NOT NULL,
	PRIMARY KEY(`account`, `sender`)
);
--> statement-breakpoint
CREATE INDEX `channel_senders_age` ON `channel_senders` (`started_at`);
