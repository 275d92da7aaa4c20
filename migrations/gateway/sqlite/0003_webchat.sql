CREATE TABLE `webchat_sites` (
	`account_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`origins` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `webchat_threads` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`account_id` text NOT NULL,
	`visitor` text NOT NULL,
	`last_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webchat_threads_visitor` ON `webchat_threads` (`account_id`,`visitor`);
--> statement-breakpoint
CREATE INDEX `webchat_threads_recent` ON `webchat_threads` (`last_at`);
--> statement-breakpoint
CREATE TABLE `webchat_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`thread_id` text NOT NULL,
	`side` text NOT NULL,
	`text` text NOT NULL,
	`media` text NOT NULL,
	`ref` text,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webchat_messages_order` ON `webchat_messages` (`thread_id`,`at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `webchat_messages_ref` ON `webchat_messages` (`thread_id`,`ref`);
--> statement-breakpoint
CREATE INDEX `webchat_messages_age` ON `webchat_messages` (`at`);
