CREATE TABLE `run_fact_edge` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
