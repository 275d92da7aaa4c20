CREATE TABLE `open_streams` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`owner` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `open_streams_org` ON `open_streams` (`org_id`,`expires_at`);
--> statement-breakpoint
CREATE INDEX `open_streams_owner` ON `open_streams` (`owner`);
--> statement-breakpoint
CREATE TABLE `audit` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`org_id` text,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`subject` text,
	`detail` text NOT NULL,
	`request_id` text
);
--> statement-breakpoint
CREATE INDEX `audit_org` ON `audit` (`org_id`,`id`);
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `audit_no_update` BEFORE UPDATE ON `audit` BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `audit_no_delete` BEFORE DELETE ON `audit` BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
