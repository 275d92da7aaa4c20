CREATE TABLE `budgets` (
	`tenant` text NOT NULL,
	`agent` text NOT NULL,
	`budget_micros` integer NOT NULL,
	`spent_micros` integer NOT NULL,
	`unpriced_calls` integer NOT NULL,
	PRIMARY KEY(`tenant`, `agent`)
);
--> statement-breakpoint
CREATE TABLE `budget_holds` (
	`tenant` text NOT NULL,
	`agent` text NOT NULL,
	`owner` text NOT NULL,
	`held_micros` integer NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`tenant`, `agent`, `owner`)
);
--> statement-breakpoint
CREATE INDEX `budget_holds_age` ON `budget_holds` (`seen_at`);
