CREATE TABLE `forgettings` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`addresses` text NOT NULL,
	`account_ids` text NOT NULL,
	`conversation_ids` text NOT NULL,
	`tries` integer NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `forgettings_due` ON `forgettings` (`due_at`);
--> statement-breakpoint
CREATE TABLE `forgotten_sessions` (
	`tenant_id` text NOT NULL,
	`session_id` text NOT NULL,
	`forgetting_id` text NOT NULL,
	`account_id` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `session_id`)
);
--> statement-breakpoint
CREATE INDEX `forgotten_sessions_of` ON `forgotten_sessions` (`forgetting_id`);
--> statement-breakpoint
CREATE INDEX `outbox_conversation` ON `outbox` (`conversation_id`) WHERE "outbox"."conversation_id" is not null;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `forgettings_counted_insert` AFTER INSERT ON `forgettings` WHEN NEW.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', 96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`addresses`), 0) + coalesce(octet_length(NEW.`account_ids`), 0) + coalesce(octet_length(NEW.`conversation_ids`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `forgettings_counted_update` AFTER UPDATE OF `id`, `tenant_id`, `addresses`, `account_ids`, `conversation_ids` ON `forgettings` WHEN NEW.`tenant_id` IS NOT NULL AND (96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`addresses`), 0) + coalesce(octet_length(NEW.`account_ids`), 0) + coalesce(octet_length(NEW.`conversation_ids`), 0)) <> (96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`addresses`), 0) + coalesce(octet_length(OLD.`account_ids`), 0) + coalesce(octet_length(OLD.`conversation_ids`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', (96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`addresses`), 0) + coalesce(octet_length(NEW.`account_ids`), 0) + coalesce(octet_length(NEW.`conversation_ids`), 0)) - (96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`addresses`), 0) + coalesce(octet_length(OLD.`account_ids`), 0) + coalesce(octet_length(OLD.`conversation_ids`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `forgettings_counted_delete` AFTER DELETE ON `forgettings` WHEN OLD.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`tenant_id`, 'messages', -(96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`addresses`), 0) + coalesce(octet_length(OLD.`account_ids`), 0) + coalesce(octet_length(OLD.`conversation_ids`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `forgotten_sessions_counted_insert` AFTER INSERT ON `forgotten_sessions` WHEN NEW.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', 96 + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`session_id`), 0) + coalesce(octet_length(NEW.`forgetting_id`), 0) + coalesce(octet_length(NEW.`account_id`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `forgotten_sessions_counted_update` AFTER UPDATE OF `tenant_id`, `session_id`, `forgetting_id`, `account_id` ON `forgotten_sessions` WHEN NEW.`tenant_id` IS NOT NULL AND (96 + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`session_id`), 0) + coalesce(octet_length(NEW.`forgetting_id`), 0) + coalesce(octet_length(NEW.`account_id`), 0)) <> (96 + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`session_id`), 0) + coalesce(octet_length(OLD.`forgetting_id`), 0) + coalesce(octet_length(OLD.`account_id`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', (96 + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`session_id`), 0) + coalesce(octet_length(NEW.`forgetting_id`), 0) + coalesce(octet_length(NEW.`account_id`), 0)) - (96 + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`session_id`), 0) + coalesce(octet_length(OLD.`forgetting_id`), 0) + coalesce(octet_length(OLD.`account_id`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `forgotten_sessions_counted_delete` AFTER DELETE ON `forgotten_sessions` WHEN OLD.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`tenant_id`, 'messages', -(96 + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`session_id`), 0) + coalesce(octet_length(OLD.`forgetting_id`), 0) + coalesce(octet_length(OLD.`account_id`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) SELECT `tenant_id`, 'messages', sum(96 + coalesce(octet_length(`id`), 0) + coalesce(octet_length(`tenant_id`), 0) + coalesce(octet_length(`addresses`), 0) + coalesce(octet_length(`account_ids`), 0) + coalesce(octet_length(`conversation_ids`), 0)) FROM `forgettings` WHERE `tenant_id` IS NOT NULL GROUP BY `tenant_id` ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) SELECT `tenant_id`, 'messages', sum(96 + coalesce(octet_length(`tenant_id`), 0) + coalesce(octet_length(`session_id`), 0) + coalesce(octet_length(`forgetting_id`), 0) + coalesce(octet_length(`account_id`), 0)) FROM `forgotten_sessions` WHERE `tenant_id` IS NOT NULL GROUP BY `tenant_id` ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
