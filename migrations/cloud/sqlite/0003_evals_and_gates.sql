CREATE TABLE `evals` (
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`agent_name` text NOT NULL,
	`document` text NOT NULL,
	`content` text NOT NULL,
	`cases` integer NOT NULL,
	`author` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `name`)
);
--> statement-breakpoint
CREATE TABLE `eval_runs` (
	`org_id` text NOT NULL,
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
	`budget_tokens` integer,
	`cases` integer NOT NULL,
	`repeat` integer NOT NULL,
	`finished` integer NOT NULL,
	`passed` integer NOT NULL,
	`tokens` integer NOT NULL,
	`simulated` integer NOT NULL,
	`summary` text,
	`error_code` text,
	`message` text,
	`author` text NOT NULL,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	PRIMARY KEY(`org_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `eval_runs_version` ON `eval_runs` (`org_id`,`agent_name`,`eval_name`,`checksum`,`id`);
--> statement-breakpoint
CREATE INDEX `eval_runs_open` ON `eval_runs` (`id`) WHERE "eval_runs"."ended_at" is null;
--> statement-breakpoint
CREATE TABLE `eval_results` (
	`org_id` text NOT NULL,
	`run_id` text NOT NULL,
	`number` integer NOT NULL,
	`case_id` text NOT NULL,
	`passed` integer NOT NULL,
	`failure` text,
	`result` text NOT NULL,
	PRIMARY KEY(`org_id`, `run_id`, `number`)
);
--> statement-breakpoint
ALTER TABLE `agents` ADD `released_checksum` text;
--> statement-breakpoint
ALTER TABLE `agents` ADD `requires` text;
--> statement-breakpoint
UPDATE `agents` SET `released_checksum` = `checksum`;
