CREATE TABLE `inbound` (
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
CREATE UNIQUE INDEX `inbound_dedupe` ON `inbound` (`account_id`,`dedupe_key`);
--> statement-breakpoint
CREATE INDEX `inbound_due` ON `inbound` (`state`,`due_at`,`id`);
--> statement-breakpoint
CREATE INDEX `inbound_lane` ON `inbound` (`lane`,`sent_at`,`id`);
--> statement-breakpoint
CREATE INDEX `inbound_account` ON `inbound` (`account_id`,`state`);
--> statement-breakpoint
CREATE INDEX `inbound_conversation` ON `inbound` (`conversation_id`,`closed_at`);
--> statement-breakpoint
CREATE INDEX `inbound_message` ON `inbound` (`channel_message_id`);
--> statement-breakpoint
CREATE INDEX `inbound_age` ON `inbound` (`received_at`);
--> statement-breakpoint
ALTER TABLE `conversations` ADD `recipient` text;
--> statement-breakpoint
ALTER TABLE `conversations` ADD `handoff_agent` text;
--> statement-breakpoint
ALTER TABLE `conversations` ADD `opened_at` integer;
--> statement-breakpoint
ALTER TABLE `conversations` ADD `unreachable_at` integer;
--> statement-breakpoint
CREATE INDEX `identities_user` ON `identities` (`tenant_id`,`channel`,`external_user`);
