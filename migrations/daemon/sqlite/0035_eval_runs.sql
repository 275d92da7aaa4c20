CREATE TABLE `eval_runs` (
	`tenant` text NOT NULL,
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
	`budget_usd_micros` integer,
	`cases` integer NOT NULL,
	`repeat` integer NOT NULL,
	`finished` integer NOT NULL,
	`passed` integer NOT NULL,
	`spent_usd_micros` integer NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`simulated` integer NOT NULL,
	`summary` text,
	`error_code` text,
	`message` text,
	`author` text NOT NULL,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	PRIMARY KEY(`tenant`, `id`)
);
--> statement-breakpoint
CREATE INDEX `eval_runs_version` ON `eval_runs` (`tenant`,`agent_name`,`eval_name`,`checksum`,`id`);
--> statement-breakpoint
CREATE INDEX `eval_runs_open` ON `eval_runs` (`id`) WHERE "eval_runs"."ended_at" is null;
--> statement-breakpoint
CREATE TABLE `eval_results` (
	`tenant` text NOT NULL,
	`run_id` text NOT NULL,
	`number` integer NOT NULL,
	`case_id` text NOT NULL,
	`passed` integer NOT NULL,
	`failure` text,
	`result` text NOT NULL,
	PRIMARY KEY(`tenant`, `run_id`, `number`)
);
