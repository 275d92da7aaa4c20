CREATE TABLE `run_feedback` (
	`tenant_id` text NOT NULL,
	`invocation_id` text NOT NULL,
	`source` text NOT NULL,
	`rating` text,
	`body` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `invocation_id`, `source`)
);
