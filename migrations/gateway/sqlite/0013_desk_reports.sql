CREATE TABLE `measured` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`channel` text NOT NULL,
	`measure` text NOT NULL,
	`value` integer NOT NULL,
	`person` text NOT NULL,
	`agent` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `measured_value` ON `measured` (`tenant_id`,`measure`,`value`,`at`);
--> statement-breakpoint
CREATE INDEX `measured_age` ON `measured` (`at`);
--> statement-breakpoint
CREATE TABLE `tallies` (
	`tenant_id` text NOT NULL,
	`tally` text NOT NULL,
	`person` text NOT NULL,
	`agent` text NOT NULL,
	`channel` text NOT NULL,
	`quarter` integer NOT NULL,
	`count` integer NOT NULL,
	`sum` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `tally`, `person`, `agent`, `channel`, `quarter`)
);
--> statement-breakpoint
CREATE INDEX `tallies_days` ON `tallies` (`tenant_id`,`quarter`,`tally`,`channel`,`count`,`sum`);
--> statement-breakpoint
CREATE INDEX `tallies_age` ON `tallies` (`quarter`);
--> statement-breakpoint
CREATE TABLE `tallied_until` (
	`id` text PRIMARY KEY NOT NULL,
	`until` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `conversations` ADD `begun_at` integer;
--> statement-breakpoint
ALTER TABLE `conversations` ADD `answered_at` integer;
--> statement-breakpoint
ALTER TABLE `conversations` ADD `csat_asked_at` integer;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `measured_counted_insert` AFTER INSERT ON `measured` WHEN NEW.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', 96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`channel`), 0) + coalesce(octet_length(NEW.`measure`), 0) + coalesce(octet_length(NEW.`person`), 0) + coalesce(octet_length(NEW.`agent`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `measured_counted_update` AFTER UPDATE OF `id`, `tenant_id`, `channel`, `measure`, `person`, `agent` ON `measured` WHEN NEW.`tenant_id` IS NOT NULL AND (96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`channel`), 0) + coalesce(octet_length(NEW.`measure`), 0) + coalesce(octet_length(NEW.`person`), 0) + coalesce(octet_length(NEW.`agent`), 0)) <> (96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`channel`), 0) + coalesce(octet_length(OLD.`measure`), 0) + coalesce(octet_length(OLD.`person`), 0) + coalesce(octet_length(OLD.`agent`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', (96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`channel`), 0) + coalesce(octet_length(NEW.`measure`), 0) + coalesce(octet_length(NEW.`person`), 0) + coalesce(octet_length(NEW.`agent`), 0)) - (96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`channel`), 0) + coalesce(octet_length(OLD.`measure`), 0) + coalesce(octet_length(OLD.`person`), 0) + coalesce(octet_length(OLD.`agent`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `measured_counted_delete` AFTER DELETE ON `measured` WHEN OLD.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`tenant_id`, 'messages', -(96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`channel`), 0) + coalesce(octet_length(OLD.`measure`), 0) + coalesce(octet_length(OLD.`person`), 0) + coalesce(octet_length(OLD.`agent`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `tallies_counted_insert` AFTER INSERT ON `tallies` WHEN NEW.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', 96 + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`tally`), 0) + coalesce(octet_length(NEW.`person`), 0) + coalesce(octet_length(NEW.`agent`), 0) + coalesce(octet_length(NEW.`channel`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `tallies_counted_update` AFTER UPDATE OF `tenant_id`, `tally`, `person`, `agent`, `channel` ON `tallies` WHEN NEW.`tenant_id` IS NOT NULL AND (96 + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`tally`), 0) + coalesce(octet_length(NEW.`person`), 0) + coalesce(octet_length(NEW.`agent`), 0) + coalesce(octet_length(NEW.`channel`), 0)) <> (96 + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`tally`), 0) + coalesce(octet_length(OLD.`person`), 0) + coalesce(octet_length(OLD.`agent`), 0) + coalesce(octet_length(OLD.`channel`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', (96 + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`tally`), 0) + coalesce(octet_length(NEW.`person`), 0) + coalesce(octet_length(NEW.`agent`), 0) + coalesce(octet_length(NEW.`channel`), 0)) - (96 + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`tally`), 0) + coalesce(octet_length(OLD.`person`), 0) + coalesce(octet_length(OLD.`agent`), 0) + coalesce(octet_length(OLD.`channel`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `tallies_counted_delete` AFTER DELETE ON `tallies` WHEN OLD.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`tenant_id`, 'messages', -(96 + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`tally`), 0) + coalesce(octet_length(OLD.`person`), 0) + coalesce(octet_length(OLD.`agent`), 0) + coalesce(octet_length(OLD.`channel`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) SELECT `tenant_id`, 'messages', sum(96 + coalesce(octet_length(`id`), 0) + coalesce(octet_length(`tenant_id`), 0) + coalesce(octet_length(`channel`), 0) + coalesce(octet_length(`measure`), 0) + coalesce(octet_length(`person`), 0) + coalesce(octet_length(`agent`), 0)) FROM `measured` WHERE `tenant_id` IS NOT NULL GROUP BY `tenant_id` ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) SELECT `tenant_id`, 'messages', sum(96 + coalesce(octet_length(`tenant_id`), 0) + coalesce(octet_length(`tally`), 0) + coalesce(octet_length(`person`), 0) + coalesce(octet_length(`agent`), 0) + coalesce(octet_length(`channel`), 0)) FROM `tallies` WHERE `tenant_id` IS NOT NULL GROUP BY `tenant_id` ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
