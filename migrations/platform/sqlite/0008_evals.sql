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
	`agent_id` text,
	`agent_name` text NOT NULL,
	`agent_version` integer,
	`subscription_id` text,
	`spec` text,
	`checksum` text NOT NULL,
	`status` text NOT NULL,
	`owner` text,
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
