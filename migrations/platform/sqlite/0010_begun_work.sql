CREATE TABLE `begun_work` (
	`kind` text NOT NULL,
	`key` text NOT NULL,
	`owner` text,
	`interruptions` integer NOT NULL,
	`parked_at` integer,
	PRIMARY KEY(`kind`, `key`)
);
