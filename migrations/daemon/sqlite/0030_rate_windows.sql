CREATE TABLE `rate_windows` (
	`scope` text PRIMARY KEY NOT NULL,
	`calls` text NOT NULL,
	`ends_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `rate_windows_age` ON `rate_windows` (`ends_at`);
