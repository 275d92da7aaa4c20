CREATE TABLE `mcp_tasks` (
	`tenant` text NOT NULL,
	`id` text NOT NULL,
	`client` text NOT NULL,
	`agent` text NOT NULL,
	`session_id` text NOT NULL,
	`status` text NOT NULL,
	`input` text NOT NULL,
	`result` text,
	`awaits` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`interruptions` integer NOT NULL,
	`owner` text,
	`held_until` integer,
	PRIMARY KEY(`tenant`, `id`)
);
--> statement-breakpoint
CREATE INDEX `mcp_tasks_held` ON `mcp_tasks` (`status`,`held_until`);
--> statement-breakpoint
CREATE INDEX `mcp_tasks_agent` ON `mcp_tasks` (`tenant`,`agent`);
--> statement-breakpoint
CREATE INDEX `mcp_tasks_age` ON `mcp_tasks` (`created_at`);
