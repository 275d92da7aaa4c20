CREATE TABLE `stored_providers` (
	`tenant` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`endpoint` text,
	`context_window` integer,
	`prices` text NOT NULL,
	`api_key` text,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant`, `name`)
);
