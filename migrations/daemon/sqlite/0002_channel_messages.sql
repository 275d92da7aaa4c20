CREATE TABLE `channel_messages` (
	`tenant` text NOT NULL,
	`channel` text NOT NULL,
	`account` text NOT NULL,
	`message_id` text NOT NULL,
	`id` text NOT NULL,
	`sender` text NOT NULL,
	`sender_kind` text NOT NULL,
	`contact_name` text,
	`request` text NOT NULL,
	`text` text NOT NULL,
	`sent_at` integer NOT NULL,
	`received_at` integer NOT NULL,
	`state` text NOT NULL,
	PRIMARY KEY(`tenant`, `channel`, `account`, `message_id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `channel_messages_id` ON `channel_messages` (`id`);
--> statement-breakpoint
CREATE INDEX `channel_messages_open` ON `channel_messages` (`tenant`,`channel`,`account`,`state`,`id`);
--> statement-breakpoint
CREATE INDEX `channel_messages_age` ON `channel_messages` (`received_at`);
