CREATE TABLE `known_addresses` (
	`pair` text PRIMARY KEY NOT NULL,
	`used_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `known_addresses_age` ON `known_addresses` (`used_at`);
--> statement-breakpoint
ALTER TABLE `agents` ADD `links` text;
--> statement-breakpoint
CREATE INDEX `invocations_version` ON `invocations` (`tenant_id`,`agent_id`,`agent_version`);
--> statement-breakpoint
DROP TRIGGER IF EXISTS `agent_versions_no_delete`;
