CREATE TABLE `cassettes` (
	`tenant` text NOT NULL,
	`id` text NOT NULL,
	`agent` text NOT NULL,
	`summary` text NOT NULL,
	`text` text NOT NULL,
	`bytes` integer NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`tenant`, `id`)
);
--> statement-breakpoint
CREATE INDEX `cassettes_age` ON `cassettes` (`at`);
