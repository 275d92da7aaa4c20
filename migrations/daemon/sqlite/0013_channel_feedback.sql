CREATE TABLE `channel_feedback` (
	`tenant` text NOT NULL,
	`trace_id` text NOT NULL,
	`rating` text NOT NULL,
	`channel` text NOT NULL,
	`emoji` text NOT NULL,
	`at` integer NOT NULL,
	`started_at` integer NOT NULL,
	PRIMARY KEY(`tenant`, `trace_id`)
);
--> statement-breakpoint
CREATE INDEX `channel_feedback_age` ON `channel_feedback` (`started_at`);
--> statement-breakpoint
CREATE TABLE `channel_answers` (
	`tenant` text NOT NULL,
	`channel` text NOT NULL,
	`account` text NOT NULL,
	`message_id` text NOT NULL,
	`trace_id` text NOT NULL,
	`sent_at` integer NOT NULL,
	`emoji` text,
	`rating` text,
	`reacted_at` integer,
	PRIMARY KEY(`tenant`, `channel`, `account`, `message_id`)
);
--> statement-breakpoint
CREATE INDEX `channel_answers_run` ON `channel_answers` (`tenant`,`trace_id`);
--> statement-breakpoint
CREATE INDEX `channel_answers_age` ON `channel_answers` (`sent_at`);
