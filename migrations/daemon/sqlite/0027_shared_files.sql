CREATE TABLE `shared_files` (
	`tenant` text NOT NULL,
	`path` text NOT NULL,
	`content` text NOT NULL,
	`digest` text NOT NULL,
	`is_deleted` integer NOT NULL,
	`revision` integer NOT NULL,
	`node` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`tenant`, `path`)
);
--> statement-breakpoint
CREATE INDEX `shared_files_revision` ON `shared_files` (`tenant`,`revision`);
