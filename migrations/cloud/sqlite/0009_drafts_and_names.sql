DROP TRIGGER IF EXISTS `agents_counted_insert`;
--> statement-breakpoint
DROP TRIGGER IF EXISTS `agents_counted_update`;
--> statement-breakpoint
DROP TRIGGER IF EXISTS `agents_counted_delete`;
--> statement-breakpoint
CREATE TABLE `former_names` (
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`agent_id` text NOT NULL,
	`renamed_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `name`)
);
--> statement-breakpoint
CREATE INDEX `former_names_agent` ON `former_names` (`org_id`,`agent_id`);
--> statement-breakpoint
ALTER TABLE `agents` ADD `draft` text;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `agents_counted_insert` AFTER INSERT ON `agents` WHEN NEW.`org_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`org_id`, 'agents', 96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`org_id`), 0) + coalesce(octet_length(NEW.`name`), 0) + coalesce(octet_length(NEW.`display_name`), 0) + coalesce(octet_length(NEW.`config`), 0) + coalesce(octet_length(NEW.`status`), 0) + coalesce(octet_length(NEW.`spec`), 0) + coalesce(octet_length(NEW.`checksum`), 0) + coalesce(octet_length(NEW.`released_checksum`), 0) + coalesce(octet_length(NEW.`requires`), 0) + coalesce(octet_length(NEW.`draft`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `agents_counted_update` AFTER UPDATE OF `id`, `org_id`, `name`, `display_name`, `config`, `status`, `spec`, `checksum`, `released_checksum`, `requires`, `draft` ON `agents` WHEN NEW.`org_id` IS NOT NULL AND (96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`org_id`), 0) + coalesce(octet_length(NEW.`name`), 0) + coalesce(octet_length(NEW.`display_name`), 0) + coalesce(octet_length(NEW.`config`), 0) + coalesce(octet_length(NEW.`status`), 0) + coalesce(octet_length(NEW.`spec`), 0) + coalesce(octet_length(NEW.`checksum`), 0) + coalesce(octet_length(NEW.`released_checksum`), 0) + coalesce(octet_length(NEW.`requires`), 0) + coalesce(octet_length(NEW.`draft`), 0)) <> (96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`org_id`), 0) + coalesce(octet_length(OLD.`name`), 0) + coalesce(octet_length(OLD.`display_name`), 0) + coalesce(octet_length(OLD.`config`), 0) + coalesce(octet_length(OLD.`status`), 0) + coalesce(octet_length(OLD.`spec`), 0) + coalesce(octet_length(OLD.`checksum`), 0) + coalesce(octet_length(OLD.`released_checksum`), 0) + coalesce(octet_length(OLD.`requires`), 0) + coalesce(octet_length(OLD.`draft`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`org_id`, 'agents', (96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`org_id`), 0) + coalesce(octet_length(NEW.`name`), 0) + coalesce(octet_length(NEW.`display_name`), 0) + coalesce(octet_length(NEW.`config`), 0) + coalesce(octet_length(NEW.`status`), 0) + coalesce(octet_length(NEW.`spec`), 0) + coalesce(octet_length(NEW.`checksum`), 0) + coalesce(octet_length(NEW.`released_checksum`), 0) + coalesce(octet_length(NEW.`requires`), 0) + coalesce(octet_length(NEW.`draft`), 0)) - (96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`org_id`), 0) + coalesce(octet_length(OLD.`name`), 0) + coalesce(octet_length(OLD.`display_name`), 0) + coalesce(octet_length(OLD.`config`), 0) + coalesce(octet_length(OLD.`status`), 0) + coalesce(octet_length(OLD.`spec`), 0) + coalesce(octet_length(OLD.`checksum`), 0) + coalesce(octet_length(OLD.`released_checksum`), 0) + coalesce(octet_length(OLD.`requires`), 0) + coalesce(octet_length(OLD.`draft`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `agents_counted_delete` AFTER DELETE ON `agents` WHEN OLD.`org_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`org_id`, 'agents', -(96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`org_id`), 0) + coalesce(octet_length(OLD.`name`), 0) + coalesce(octet_length(OLD.`display_name`), 0) + coalesce(octet_length(OLD.`config`), 0) + coalesce(octet_length(OLD.`status`), 0) + coalesce(octet_length(OLD.`spec`), 0) + coalesce(octet_length(OLD.`checksum`), 0) + coalesce(octet_length(OLD.`released_checksum`), 0) + coalesce(octet_length(OLD.`requires`), 0) + coalesce(octet_length(OLD.`draft`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
