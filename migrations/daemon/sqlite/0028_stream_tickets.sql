CREATE TABLE `stream_tickets` (
	`hash` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`sealed` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `stream_tickets_owner` ON `stream_tickets` (`owner`,`expires_at`);
--> statement-breakpoint
CREATE INDEX `stream_tickets_age` ON `stream_tickets` (`expires_at`);
