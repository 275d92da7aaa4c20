CREATE TABLE `tenant_members` (
	`tenant_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`joined_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `user_id`)
);
--> statement-breakpoint
CREATE INDEX `tenant_members_user` ON `tenant_members` (`user_id`);
--> statement-breakpoint
CREATE TABLE `tenant_invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`token_hash` text NOT NULL,
	`invited_by` text NOT NULL,
	`invited_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tenant_invitations_token` ON `tenant_invitations` (`token_hash`);
--> statement-breakpoint
CREATE UNIQUE INDEX `tenant_invitations_email` ON `tenant_invitations` (`tenant_id`,`email`);
--> statement-breakpoint
INSERT INTO `tenant_members` (`tenant_id`, `user_id`, `role`, `joined_at`) SELECT `id`, `user_id`, 'owner', `created_at` FROM `tenants`;
