CREATE TABLE `account_links` (
	`user_id` text NOT NULL,
	`purpose` text NOT NULL,
	`email` text,
	`token_hash` text,
	`requested_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `purpose`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `account_links_token` ON `account_links` (`token_hash`);
--> statement-breakpoint
CREATE INDEX `account_links_age` ON `account_links` (`expires_at`);
--> statement-breakpoint
ALTER TABLE `users` ADD `password_expired_at` integer;
--> statement-breakpoint
ALTER TABLE `users` ADD `deleted_at` integer;
--> statement-breakpoint
ALTER TABLE `sessions` ADD `client` text;
--> statement-breakpoint
ALTER TABLE `sessions` ADD `address` text;
