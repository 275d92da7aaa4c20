CREATE TABLE `notice_outbox` (
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
CREATE INDEX `notice_outbox_ready` ON `notice_outbox` (`due_at`,`id`) WHERE "notice_outbox"."is_ready";
--> statement-breakpoint
CREATE INDEX `notice_outbox_leased` ON `notice_outbox` (`lease_until`) WHERE "notice_outbox"."status" = 'sending';
--> statement-breakpoint
CREATE INDEX `notice_outbox_open` ON `notice_outbox` (`tenant_id`,`account_id`) WHERE "notice_outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX `notice_outbox_expiry` ON `notice_outbox` (`expires_at`) WHERE "notice_outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX `notice_outbox_lane` ON `notice_outbox` (`lane`,`id`) WHERE "notice_outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX `notice_outbox_waiting` ON `notice_outbox` (`waiting_since`) WHERE "notice_outbox"."lane" is not null and "notice_outbox"."waiting_since" is not null;
--> statement-breakpoint
CREATE INDEX `notice_outbox_tenant` ON `notice_outbox` (`tenant_id`,`id`);
--> statement-breakpoint
CREATE INDEX `notice_outbox_channel_message` ON `notice_outbox` (`channel_message_id`) WHERE "notice_outbox"."channel_message_id" is not null;
--> statement-breakpoint
CREATE INDEX `notice_outbox_conversation` ON `notice_outbox` (`conversation_id`) WHERE "notice_outbox"."conversation_id" is not null;
--> statement-breakpoint
CREATE INDEX `notice_outbox_recipient` ON `notice_outbox` (`recipient`,`id`);
--> statement-breakpoint
CREATE INDEX `notice_outbox_age` ON `notice_outbox` (`created_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `notice_outbox_idempotency` ON `notice_outbox` (`tenant_id`,`idempotency_key`);
--> statement-breakpoint
CREATE TABLE `notice_inbound` (
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
CREATE UNIQUE INDEX `notice_inbound_dedupe` ON `notice_inbound` (`account_id`,`dedupe_key`);
--> statement-breakpoint
CREATE INDEX `notice_inbound_due` ON `notice_inbound` (`state`,`due_at`,`id`);
--> statement-breakpoint
CREATE INDEX `notice_inbound_lane` ON `notice_inbound` (`lane`,`sent_at`,`id`);
--> statement-breakpoint
CREATE INDEX `notice_inbound_account` ON `notice_inbound` (`account_id`,`state`);
--> statement-breakpoint
CREATE INDEX `notice_inbound_conversation` ON `notice_inbound` (`conversation_id`,`closed_at`);
--> statement-breakpoint
CREATE INDEX `notice_inbound_message` ON `notice_inbound` (`channel_message_id`);
--> statement-breakpoint
CREATE INDEX `notice_inbound_age` ON `notice_inbound` (`received_at`);
--> statement-breakpoint
CREATE TABLE `notice_hooks` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`url` text NOT NULL,
	`secret` text NOT NULL,
	`events` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`paused_reason` text,
	`quiet_until` integer
);
--> statement-breakpoint
CREATE INDEX `notice_hooks_tenant` ON `notice_hooks` (`tenant_id`);
--> statement-breakpoint
CREATE TABLE `notice_marks` (
	`tenant_id` text NOT NULL,
	`event` text NOT NULL,
	`occasion` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `event`, `occasion`)
);
--> statement-breakpoint
CREATE INDEX `notice_marks_age` ON `notice_marks` (`at`);
