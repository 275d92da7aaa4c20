CREATE TABLE `workspaces` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL,
	`changed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `workspace_resources` (
	`tenant_id` text NOT NULL,
	`resource_type` text NOT NULL,
	`name` text NOT NULL,
	`applied` text NOT NULL,
	`applied_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `resource_type`, `name`)
);
