CREATE TABLE `group_speakers` (
	`message_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`account_id` text NOT NULL,
	`conversation_id` text NOT NULL,
	`address` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `group_speakers_address` ON `group_speakers` (`tenant_id`,`address`);
--> statement-breakpoint
CREATE INDEX `group_speakers_conversation` ON `group_speakers` (`conversation_id`);
--> statement-breakpoint
CREATE INDEX `group_speakers_age` ON `group_speakers` (`at`);
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `group_speakers_counted_insert` AFTER INSERT ON `group_speakers` WHEN NEW.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', 96 + coalesce(octet_length(NEW.`message_id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`account_id`), 0) + coalesce(octet_length(NEW.`conversation_id`), 0) + coalesce(octet_length(NEW.`address`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `group_speakers_counted_update` AFTER UPDATE OF `message_id`, `tenant_id`, `account_id`, `conversation_id`, `address` ON `group_speakers` WHEN NEW.`tenant_id` IS NOT NULL AND (96 + coalesce(octet_length(NEW.`message_id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`account_id`), 0) + coalesce(octet_length(NEW.`conversation_id`), 0) + coalesce(octet_length(NEW.`address`), 0)) <> (96 + coalesce(octet_length(OLD.`message_id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`account_id`), 0) + coalesce(octet_length(OLD.`conversation_id`), 0) + coalesce(octet_length(OLD.`address`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', (96 + coalesce(octet_length(NEW.`message_id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`account_id`), 0) + coalesce(octet_length(NEW.`conversation_id`), 0) + coalesce(octet_length(NEW.`address`), 0)) - (96 + coalesce(octet_length(OLD.`message_id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`account_id`), 0) + coalesce(octet_length(OLD.`conversation_id`), 0) + coalesce(octet_length(OLD.`address`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `group_speakers_counted_delete` AFTER DELETE ON `group_speakers` WHEN OLD.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`tenant_id`, 'messages', -(96 + coalesce(octet_length(OLD.`message_id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`account_id`), 0) + coalesce(octet_length(OLD.`conversation_id`), 0) + coalesce(octet_length(OLD.`address`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) SELECT `tenant_id`, 'messages', sum(96 + coalesce(octet_length(`message_id`), 0) + coalesce(octet_length(`tenant_id`), 0) + coalesce(octet_length(`account_id`), 0) + coalesce(octet_length(`conversation_id`), 0) + coalesce(octet_length(`address`), 0)) FROM `group_speakers` WHERE `tenant_id` IS NOT NULL GROUP BY `tenant_id` ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
