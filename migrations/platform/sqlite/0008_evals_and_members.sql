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
CREATE TABLE `evals` (
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`agent_name` text NOT NULL,
	`document` text NOT NULL,
	`content` text NOT NULL,
	`cases` integer NOT NULL,
	`author` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `name`)
);
--> statement-breakpoint
CREATE TABLE `eval_runs` (
	`tenant_id` text NOT NULL,
	`id` text NOT NULL,
	`eval_name` text NOT NULL,
	`content` text NOT NULL,
	`document` text,
	`agent_name` text NOT NULL,
	`subject` text NOT NULL,
	`spec` text,
	`checksum` text NOT NULL,
	`status` text NOT NULL,
	`process` text,
	`concurrency` integer NOT NULL,
	`budget_micros` integer,
	`cases` integer NOT NULL,
	`repeat` integer NOT NULL,
	`finished` integer NOT NULL,
	`passed` integer NOT NULL,
	`charged_micros` integer NOT NULL,
	`simulated` integer NOT NULL,
	`summary` text,
	`error_code` text,
	`message` text,
	`author` text NOT NULL,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	PRIMARY KEY(`tenant_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `eval_runs_version` ON `eval_runs` (`tenant_id`,`agent_name`,`eval_name`,`checksum`,`id`);
--> statement-breakpoint
CREATE INDEX `eval_runs_open` ON `eval_runs` (`id`) WHERE "eval_runs"."ended_at" is null;
--> statement-breakpoint
CREATE TABLE `eval_results` (
	`tenant_id` text NOT NULL,
	`run_id` text NOT NULL,
	`number` integer NOT NULL,
	`case_id` text NOT NULL,
	`passed` integer NOT NULL,
	`failure` text,
	`result` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `run_id`, `number`)
);
--> statement-breakpoint
INSERT INTO `tenant_members` (`tenant_id`, `user_id`, `role`, `joined_at`) SELECT `id`, `user_id`, 'owner', `created_at` FROM `tenants`;
