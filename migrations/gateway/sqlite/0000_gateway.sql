CREATE TABLE `leases` (
	`name` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`term` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sealing_keys` (
	`kid` text PRIMARY KEY NOT NULL,
	`proof` text NOT NULL,
	`added_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `write_checks` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`channel` text NOT NULL,
	`external_id` text NOT NULL,
	`credentials` text NOT NULL,
	`masked` text NOT NULL,
	`emulated` integer NOT NULL,
	`paused_reason` text,
	`quiet_until` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_external` ON `accounts` (`channel`,`external_id`);
--> statement-breakpoint
CREATE INDEX `accounts_tenant` ON `accounts` (`tenant_id`,`created_at`,`id`);
--> statement-breakpoint
CREATE TABLE `bindings` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`channel` text NOT NULL,
	`account_id` text NOT NULL,
	`entry_agent` text,
	`fallback_message` text NOT NULL,
	`config` text NOT NULL,
	`masked` text NOT NULL,
	`revision` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `bindings_account` ON `bindings` (`account_id`);
--> statement-breakpoint
CREATE INDEX `bindings_tenant` ON `bindings` (`tenant_id`,`created_at`,`id`);
--> statement-breakpoint
CREATE TABLE `conversations` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`channel` text NOT NULL,
	`account_id` text NOT NULL,
	`external_user` text NOT NULL,
	`session_id` text NOT NULL,
	`agent_name` text,
	`contact_name` text,
	`mode` text NOT NULL,
	`last_message_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `conversations_user` ON `conversations` (`account_id`,`external_user`);
--> statement-breakpoint
CREATE INDEX `conversations_recent` ON `conversations` (`last_message_at`,`id`);
--> statement-breakpoint
CREATE INDEX `conversations_tenant` ON `conversations` (`tenant_id`,`last_message_at`,`id`);
--> statement-breakpoint
CREATE TABLE `conversation_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`conversation_id` text NOT NULL,
	`channel` text NOT NULL,
	`direction` text NOT NULL,
	`kind` text NOT NULL,
	`text` text NOT NULL,
	`media` text NOT NULL,
	`channel_message_id` text,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `conversation_messages_order` ON `conversation_messages` (`conversation_id`,`at`,`id`);
--> statement-breakpoint
CREATE INDEX `conversation_messages_age` ON `conversation_messages` (`at`);
--> statement-breakpoint
CREATE TABLE `identities` (
	`tenant_id` text NOT NULL,
	`channel` text NOT NULL,
	`phone` text NOT NULL,
	`external_user` text NOT NULL,
	`verified_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `channel`, `phone`, `external_user`)
);
--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`channel` text NOT NULL,
	`account_id` text NOT NULL,
	`recipient` text NOT NULL,
	`conversation_id` text,
	`source` text NOT NULL,
	`payload` text NOT NULL,
	`lane` text,
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
	`idempotency_key` text,
	`idempotency_digest` text
);
--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`status`,`due_at`,`id`);
--> statement-breakpoint
CREATE INDEX `outbox_lane` ON `outbox` (`lane`,`id`);
--> statement-breakpoint
CREATE INDEX `outbox_tenant` ON `outbox` (`tenant_id`,`id`);
--> statement-breakpoint
CREATE INDEX `outbox_account` ON `outbox` (`account_id`,`status`);
--> statement-breakpoint
CREATE INDEX `outbox_channel_message` ON `outbox` (`channel_message_id`);
--> statement-breakpoint
CREATE INDEX `outbox_age` ON `outbox` (`created_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `outbox_idempotency` ON `outbox` (`tenant_id`,`idempotency_key`);
