CREATE TABLE `run_steps` (
	`tenant` text NOT NULL,
	`run_id` text NOT NULL,
	`number` integer NOT NULL,
	`fingerprint` text NOT NULL,
	`steps` text NOT NULL,
	`written_at` integer NOT NULL,
	PRIMARY KEY(`tenant`, `run_id`, `number`)
);
--> statement-breakpoint
CREATE INDEX `run_steps_age` ON `run_steps` (`written_at`);
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `run_steps_counted_insert` AFTER INSERT ON `run_steps` WHEN NEW.`tenant` IS NOT NULL AND NEW.`tenant` <> 'operator' BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant`, 'paused_runs', 96 + coalesce(octet_length(NEW.`tenant`), 0) + coalesce(octet_length(NEW.`run_id`), 0) + coalesce(octet_length(NEW.`fingerprint`), 0) + coalesce(octet_length(NEW.`steps`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `run_steps_counted_update` AFTER UPDATE OF `tenant`, `run_id`, `fingerprint`, `steps` ON `run_steps` WHEN NEW.`tenant` IS NOT NULL AND NEW.`tenant` <> 'operator' AND (96 + coalesce(octet_length(NEW.`tenant`), 0) + coalesce(octet_length(NEW.`run_id`), 0) + coalesce(octet_length(NEW.`fingerprint`), 0) + coalesce(octet_length(NEW.`steps`), 0)) <> (96 + coalesce(octet_length(OLD.`tenant`), 0) + coalesce(octet_length(OLD.`run_id`), 0) + coalesce(octet_length(OLD.`fingerprint`), 0) + coalesce(octet_length(OLD.`steps`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant`, 'paused_runs', (96 + coalesce(octet_length(NEW.`tenant`), 0) + coalesce(octet_length(NEW.`run_id`), 0) + coalesce(octet_length(NEW.`fingerprint`), 0) + coalesce(octet_length(NEW.`steps`), 0)) - (96 + coalesce(octet_length(OLD.`tenant`), 0) + coalesce(octet_length(OLD.`run_id`), 0) + coalesce(octet_length(OLD.`fingerprint`), 0) + coalesce(octet_length(OLD.`steps`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `run_steps_counted_delete` AFTER DELETE ON `run_steps` WHEN OLD.`tenant` IS NOT NULL AND OLD.`tenant` <> 'operator' BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`tenant`, 'paused_runs', -(96 + coalesce(octet_length(OLD.`tenant`), 0) + coalesce(octet_length(OLD.`run_id`), 0) + coalesce(octet_length(OLD.`fingerprint`), 0) + coalesce(octet_length(OLD.`steps`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) SELECT `tenant`, 'paused_runs', sum(96 + coalesce(octet_length(`tenant`), 0) + coalesce(octet_length(`run_id`), 0) + coalesce(octet_length(`fingerprint`), 0) + coalesce(octet_length(`steps`), 0)) FROM `run_steps` WHERE `tenant` IS NOT NULL AND `tenant` <> 'operator' GROUP BY `tenant` ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
