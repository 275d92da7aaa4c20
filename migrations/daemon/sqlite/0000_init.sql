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
CREATE TABLE `turns` (
	`tenant` text NOT NULL,
	`agent` text NOT NULL,
	`session_id` text NOT NULL,
	`seq` integer NOT NULL,
	`role` text NOT NULL,
	`content` text NOT NULL,
	`at` integer NOT NULL,
	`token_count` integer NOT NULL,
	`metadata` text NOT NULL,
	PRIMARY KEY(`tenant`, `agent`, `session_id`, `seq`)
);
--> statement-breakpoint
CREATE TABLE `traces` (
	`tenant` text NOT NULL,
	`trace_id` text NOT NULL,
	`agent` text NOT NULL,
	`session_id` text NOT NULL,
	`status` text NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` real NOT NULL,
	`bytes` integer NOT NULL,
	`body` text NOT NULL,
	PRIMARY KEY(`tenant`, `trace_id`)
);
--> statement-breakpoint
CREATE INDEX `traces_newest` ON `traces` (`tenant`,`started_at`,`trace_id`);
--> statement-breakpoint
CREATE INDEX `traces_newest_of_agent` ON `traces` (`tenant`,`agent`,`started_at`,`trace_id`);
--> statement-breakpoint
CREATE INDEX `traces_age` ON `traces` (`started_at`,`bytes`);
