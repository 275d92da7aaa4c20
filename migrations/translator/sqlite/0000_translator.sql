CREATE TABLE `leases` (
	`name` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`term` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sealing_keys` (
	`kid` text PRIMARY KEY NOT NULL,
	`proof` text NOT NULL,
	`added_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `write_checks` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `specs` (
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`yaml` text NOT NULL,
	`submitted_at` integer NOT NULL,
	PRIMARY KEY(`kind`, `name`)
);
--> statement-breakpoint
CREATE TABLE `applied` (
	`account` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`resource_type` text NOT NULL,
	`resource_name` text NOT NULL,
	`resource_id` text NOT NULL,
	`position` integer NOT NULL,
	`bindings` text NOT NULL,
	`config` text NOT NULL,
	`applied_at` integer NOT NULL,
	PRIMARY KEY(`account`, `kind`, `name`, `resource_type`, `resource_name`)
);
--> statement-breakpoint
CREATE TABLE `reconciles` (
	`account` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`is_removal` integer NOT NULL,
	`started_at` integer NOT NULL,
	PRIMARY KEY(`account`, `kind`, `name`)
);
--> statement-breakpoint
CREATE TABLE `operations` (
	`account` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`resource_type` text NOT NULL,
	`resource_name` text NOT NULL,
	`operation` text NOT NULL,
	`started_at` integer NOT NULL,
	PRIMARY KEY(`account`, `kind`, `name`, `resource_type`, `resource_name`)
);
--> statement-breakpoint
CREATE TABLE `local_resources` (
	`account` text NOT NULL,
	`id` text NOT NULL,
	`spec` text NOT NULL,
	`resource_type` text NOT NULL,
	`name` text NOT NULL,
	`config` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`account`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `local_resources_name` ON `local_resources` (`account`,`spec`,`resource_type`,`name`);
--> statement-breakpoint
CREATE TABLE `local_failures` (
	`account` text NOT NULL,
	`action` text NOT NULL,
	`resource_type` text NOT NULL,
	`message` text NOT NULL,
	`remaining` integer NOT NULL,
	PRIMARY KEY(`account`, `action`, `resource_type`)
);
