CREATE TABLE `trace_texts` (
	`tenant` text NOT NULL,
	`trace_id` text NOT NULL,
	`started_at` integer NOT NULL,
	`text` text NOT NULL,
	PRIMARY KEY(`tenant`, `trace_id`)
);
--> statement-breakpoint
CREATE INDEX `trace_texts_age` ON `trace_texts` (`started_at`);
--> statement-breakpoint
CREATE TABLE `run_facts` (
	`tenant` text NOT NULL,
	`trace_id` text NOT NULL,
	`started_at` integer NOT NULL,
	`agent` text NOT NULL,
	`model` text NOT NULL,
	`outcome` text NOT NULL,
	`duration_ms` real NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cost_micros` integer NOT NULL,
	PRIMARY KEY(`tenant`, `trace_id`)
);
--> statement-breakpoint
CREATE INDEX `run_facts_newest` ON `run_facts` (`tenant`,`started_at`);
--> statement-breakpoint
CREATE INDEX `run_facts_age` ON `run_facts` (`started_at`);
--> statement-breakpoint
ALTER TABLE `traces` ADD `cost_micros` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `traces` ADD `model` text DEFAULT '' NOT NULL;
--> statement-breakpoint
CREATE INDEX `traces_slowest` ON `traces` (`tenant`,`duration_ms`,`trace_id`);
--> statement-breakpoint
CREATE INDEX `traces_dearest` ON `traces` (`tenant`,`cost_micros`,`trace_id`);
