CREATE TABLE `usage_tallies` (
	`tenant` text NOT NULL,
	`starts_at` integer NOT NULL,
	`agent` text NOT NULL,
	`provider` text NOT NULL,
	`model` text NOT NULL,
	`cost_micros` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`calls` integer NOT NULL,
	`unpriced_calls` integer NOT NULL,
	`estimated_calls` integer NOT NULL,
	`latency_ms` real NOT NULL,
	PRIMARY KEY(`tenant`, `starts_at`, `agent`, `provider`, `model`)
);
--> statement-breakpoint
CREATE TABLE `usage_records` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant` text NOT NULL,
	`agent` text NOT NULL,
	`at` integer NOT NULL,
	`record` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `usage_records_tenant` ON `usage_records` (`tenant`,`id`);
