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
CREATE TABLE `begun_work` (
	`kind` text NOT NULL,
	`key` text NOT NULL,
	`owner` text,
	`interruptions` integer NOT NULL,
	`parked_at` integer,
	PRIMARY KEY(`kind`, `key`)
);
--> statement-breakpoint
CREATE TABLE `write_checks` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`sealed` text NOT NULL,
	`visitor` integer NOT NULL,
	`opened_at` integer NOT NULL,
	`used_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_age` ON `sessions` (`visitor`,`used_at`);
