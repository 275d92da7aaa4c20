CREATE TABLE `retired_orgs` (
	`id` text PRIMARY KEY NOT NULL,
	`slug` text NOT NULL,
	`created_by` text,
	`deleted_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `retired_orgs_slug` ON `retired_orgs` (`slug`);
--> statement-breakpoint
CREATE INDEX `retired_orgs_created_by` ON `retired_orgs` (`created_by`);
--> statement-breakpoint
CREATE INDEX `retired_orgs_age` ON `retired_orgs` (`deleted_at`);
--> statement-breakpoint
ALTER TABLE `orgs` ADD `created_by` text;
--> statement-breakpoint
CREATE INDEX `orgs_created_by` ON `orgs` (`created_by`);
--> statement-breakpoint
ALTER TABLE `members` ADD `invited_by` text;
--> statement-breakpoint
ALTER TABLE `api_keys` ADD `expires_at` integer;
