CREATE TABLE `media_files` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`account_id` text,
	`conversation_id` text,
	`kind` text NOT NULL,
	`mime_type` text NOT NULL,
	`file_name` text,
	`bytes` integer NOT NULL,
	`state` text NOT NULL,
	`source` text,
	`tries` integer NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `media_files_wanted` ON `media_files` (`state`,`due_at`);
--> statement-breakpoint
CREATE INDEX `media_files_tenant` ON `media_files` (`tenant_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `media_files_conversation` ON `media_files` (`conversation_id`);
--> statement-breakpoint
CREATE INDEX `media_files_age` ON `media_files` (`created_at`);
--> statement-breakpoint
CREATE TABLE `media_chunks` (
	`file_id` text NOT NULL,
	`part` integer NOT NULL,
	`tenant_id` text NOT NULL,
	`sealed` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`file_id`, `part`)
);
--> statement-breakpoint
CREATE INDEX `media_chunks_age` ON `media_chunks` (`created_at`);
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `media_chunks_counted_insert` AFTER INSERT ON `media_chunks` WHEN NEW.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', 96 + coalesce(octet_length(NEW.`file_id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`sealed`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `media_chunks_counted_update` AFTER UPDATE OF `file_id`, `tenant_id`, `sealed` ON `media_chunks` WHEN NEW.`tenant_id` IS NOT NULL AND (96 + coalesce(octet_length(NEW.`file_id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`sealed`), 0)) <> (96 + coalesce(octet_length(OLD.`file_id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`sealed`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', (96 + coalesce(octet_length(NEW.`file_id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`sealed`), 0)) - (96 + coalesce(octet_length(OLD.`file_id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`sealed`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `media_chunks_counted_delete` AFTER DELETE ON `media_chunks` WHEN OLD.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`tenant_id`, 'messages', -(96 + coalesce(octet_length(OLD.`file_id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`sealed`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `media_files_counted_insert` AFTER INSERT ON `media_files` WHEN NEW.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', 96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`account_id`), 0) + coalesce(octet_length(NEW.`conversation_id`), 0) + coalesce(octet_length(NEW.`kind`), 0) + coalesce(octet_length(NEW.`mime_type`), 0) + coalesce(octet_length(NEW.`file_name`), 0) + coalesce(octet_length(NEW.`state`), 0) + coalesce(octet_length(NEW.`source`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `media_files_counted_update` AFTER UPDATE OF `id`, `tenant_id`, `account_id`, `conversation_id`, `kind`, `mime_type`, `file_name`, `state`, `source` ON `media_files` WHEN NEW.`tenant_id` IS NOT NULL AND (96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`account_id`), 0) + coalesce(octet_length(NEW.`conversation_id`), 0) + coalesce(octet_length(NEW.`kind`), 0) + coalesce(octet_length(NEW.`mime_type`), 0) + coalesce(octet_length(NEW.`file_name`), 0) + coalesce(octet_length(NEW.`state`), 0) + coalesce(octet_length(NEW.`source`), 0)) <> (96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`account_id`), 0) + coalesce(octet_length(OLD.`conversation_id`), 0) + coalesce(octet_length(OLD.`kind`), 0) + coalesce(octet_length(OLD.`mime_type`), 0) + coalesce(octet_length(OLD.`file_name`), 0) + coalesce(octet_length(OLD.`state`), 0) + coalesce(octet_length(OLD.`source`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', (96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`account_id`), 0) + coalesce(octet_length(NEW.`conversation_id`), 0) + coalesce(octet_length(NEW.`kind`), 0) + coalesce(octet_length(NEW.`mime_type`), 0) + coalesce(octet_length(NEW.`file_name`), 0) + coalesce(octet_length(NEW.`state`), 0) + coalesce(octet_length(NEW.`source`), 0)) - (96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`account_id`), 0) + coalesce(octet_length(OLD.`conversation_id`), 0) + coalesce(octet_length(OLD.`kind`), 0) + coalesce(octet_length(OLD.`mime_type`), 0) + coalesce(octet_length(OLD.`file_name`), 0) + coalesce(octet_length(OLD.`state`), 0) + coalesce(octet_length(OLD.`source`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `media_files_counted_delete` AFTER DELETE ON `media_files` WHEN OLD.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`tenant_id`, 'messages', -(96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`account_id`), 0) + coalesce(octet_length(OLD.`conversation_id`), 0) + coalesce(octet_length(OLD.`kind`), 0) + coalesce(octet_length(OLD.`mime_type`), 0) + coalesce(octet_length(OLD.`file_name`), 0) + coalesce(octet_length(OLD.`state`), 0) + coalesce(octet_length(OLD.`source`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) SELECT `tenant_id`, 'messages', sum(96 + coalesce(octet_length(`file_id`), 0) + coalesce(octet_length(`tenant_id`), 0) + coalesce(octet_length(`sealed`), 0)) FROM `media_chunks` WHERE `tenant_id` IS NOT NULL GROUP BY `tenant_id` ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) SELECT `tenant_id`, 'messages', sum(96 + coalesce(octet_length(`id`), 0) + coalesce(octet_length(`tenant_id`), 0) + coalesce(octet_length(`account_id`), 0) + coalesce(octet_length(`conversation_id`), 0) + coalesce(octet_length(`kind`), 0) + coalesce(octet_length(`mime_type`), 0) + coalesce(octet_length(`file_name`), 0) + coalesce(octet_length(`state`), 0) + coalesce(octet_length(`source`), 0)) FROM `media_files` WHERE `tenant_id` IS NOT NULL GROUP BY `tenant_id` ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
