CREATE TABLE `triggers` (
	`tenant` text NOT NULL,
	`agent` text NOT NULL,
	`name` text NOT NULL,
	`source` text NOT NULL,
	`events` text NOT NULL,
	`is_paused` integer NOT NULL,
	`schedule` text,
	`cursor_at` integer,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`tenant`, `agent`, `name`)
);
--> statement-breakpoint
CREATE INDEX `triggers_source` ON `triggers` (`tenant`,`source`);
--> statement-breakpoint
CREATE TABLE `trigger_fires` (
	`tenant` text NOT NULL,
	`id` text NOT NULL,
	`agent` text NOT NULL,
	`trigger` text NOT NULL,
	`type` text NOT NULL,
	`key` text NOT NULL,
	`status` text NOT NULL,
	`by_person` integer NOT NULL,
	`due_at` integer NOT NULL,
	`payload` text,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer,
	`owner` text,
	`held_until` integer,
	`trace_id` text,
	`session_id` text,
	`awaits` text,
	`error_code` text,
	`error_message` text,
	PRIMARY KEY(`tenant`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `trigger_fires_key` ON `trigger_fires` (`tenant`,`agent`,`trigger`,`key`);
--> statement-breakpoint
CREATE INDEX `trigger_fires_trigger` ON `trigger_fires` (`tenant`,`agent`,`trigger`,`id`);
--> statement-breakpoint
CREATE INDEX `trigger_fires_status` ON `trigger_fires` (`status`,`id`);
--> statement-breakpoint
CREATE INDEX `trigger_fires_age` ON `trigger_fires` (`created_at`);
