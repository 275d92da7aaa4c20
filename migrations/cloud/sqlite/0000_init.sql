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
CREATE TABLE `write_checks` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`name` text NOT NULL,
	`source` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);
--> statement-breakpoint
CREATE TABLE `identities` (
	`source` text NOT NULL,
	`subject` text NOT NULL,
	`user_id` text NOT NULL,
	`linked_at` integer NOT NULL,
	PRIMARY KEY(`source`, `subject`)
);
--> statement-breakpoint
CREATE TABLE `sign_in_states` (
	`hash` text PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`verifier` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sign_in_states_age` ON `sign_in_states` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);
--> statement-breakpoint
CREATE TABLE `refresh_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`issued_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`rotated_at` integer,
	`successor` text
);
--> statement-breakpoint
CREATE INDEX `refresh_tokens_session` ON `refresh_tokens` (`session_id`);
--> statement-breakpoint
CREATE INDEX `refresh_tokens_age` ON `refresh_tokens` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `orgs` (
	`id` text PRIMARY KEY NOT NULL,
	`slug` text NOT NULL,
	`display_name` text NOT NULL,
	`plan` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orgs_slug` ON `orgs` (`slug`);
--> statement-breakpoint
CREATE TABLE `members` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`email` text NOT NULL,
	`user_id` text,
	`role` text NOT NULL,
	`invited_at` integer NOT NULL,
	`joined_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `members_email` ON `members` (`org_id`,`email`);
--> statement-breakpoint
CREATE INDEX `members_user` ON `members` (`user_id`,`joined_at`);
--> statement-breakpoint
CREATE INDEX `members_invited` ON `members` (`email`);
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`hash` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE INDEX `api_keys_org` ON `api_keys` (`org_id`,`id`);
--> statement-breakpoint
CREATE TABLE `provider_keys` (
	`org_id` text NOT NULL,
	`provider` text NOT NULL,
	`sealed` text NOT NULL,
	`masked` text NOT NULL,
	`added_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `provider`)
);
--> statement-breakpoint
CREATE TABLE `agents` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`display_name` text NOT NULL,
	`config` text NOT NULL,
	`status` text NOT NULL,
	`spec` text,
	`checksum` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deployed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agents_name` ON `agents` (`org_id`,`name`);
--> statement-breakpoint
CREATE INDEX `agents_status` ON `agents` (`status`,`id`);
--> statement-breakpoint
CREATE TABLE `retired_agents` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`runtime_name` text NOT NULL,
	`retired_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `daily_counters` (
	`org_id` text NOT NULL,
	`day` text NOT NULL,
	`requests` integer NOT NULL,
	PRIMARY KEY(`org_id`, `day`)
);
--> statement-breakpoint
CREATE TABLE `agent_usage` (
	`org_id` text NOT NULL,
	`day` text NOT NULL,
	`agent` text NOT NULL,
	`requests` integer NOT NULL,
	`tokens` integer NOT NULL,
	PRIMARY KEY(`org_id`, `day`, `agent`)
);
