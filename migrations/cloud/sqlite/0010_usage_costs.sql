CREATE TABLE `usage_costs` (
	`org_id` text NOT NULL,
	`day` text NOT NULL,
	`agent` text NOT NULL,
	`caller` text NOT NULL,
	`provider` text NOT NULL,
	`model` text NOT NULL,
	`requests` integer NOT NULL,
	`uses` integer NOT NULL,
	`tokens` integer NOT NULL,
	`cost_micros` integer NOT NULL,
	`unpriced_tokens` integer NOT NULL,
	PRIMARY KEY(`org_id`, `day`, `agent`, `caller`, `provider`, `model`)
);
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `usage_costs_counted_insert` AFTER INSERT ON `usage_costs` WHEN NEW.`org_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`org_id`, 'usage', 96 + coalesce(octet_length(NEW.`org_id`), 0) + coalesce(octet_length(NEW.`day`), 0) + coalesce(octet_length(NEW.`agent`), 0) + coalesce(octet_length(NEW.`caller`), 0) + coalesce(octet_length(NEW.`provider`), 0) + coalesce(octet_length(NEW.`model`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `usage_costs_counted_update` AFTER UPDATE OF `org_id`, `day`, `agent`, `caller`, `provider`, `model` ON `usage_costs` WHEN NEW.`org_id` IS NOT NULL AND (96 + coalesce(octet_length(NEW.`org_id`), 0) + coalesce(octet_length(NEW.`day`), 0) + coalesce(octet_length(NEW.`agent`), 0) + coalesce(octet_length(NEW.`caller`), 0) + coalesce(octet_length(NEW.`provider`), 0) + coalesce(octet_length(NEW.`model`), 0)) <> (96 + coalesce(octet_length(OLD.`org_id`), 0) + coalesce(octet_length(OLD.`day`), 0) + coalesce(octet_length(OLD.`agent`), 0) + coalesce(octet_length(OLD.`caller`), 0) + coalesce(octet_length(OLD.`provider`), 0) + coalesce(octet_length(OLD.`model`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`org_id`, 'usage', (96 + coalesce(octet_length(NEW.`org_id`), 0) + coalesce(octet_length(NEW.`day`), 0) + coalesce(octet_length(NEW.`agent`), 0) + coalesce(octet_length(NEW.`caller`), 0) + coalesce(octet_length(NEW.`provider`), 0) + coalesce(octet_length(NEW.`model`), 0)) - (96 + coalesce(octet_length(OLD.`org_id`), 0) + coalesce(octet_length(OLD.`day`), 0) + coalesce(octet_length(OLD.`agent`), 0) + coalesce(octet_length(OLD.`caller`), 0) + coalesce(octet_length(OLD.`provider`), 0) + coalesce(octet_length(OLD.`model`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `usage_costs_counted_delete` AFTER DELETE ON `usage_costs` WHEN OLD.`org_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`org_id`, 'usage', -(96 + coalesce(octet_length(OLD.`org_id`), 0) + coalesce(octet_length(OLD.`day`), 0) + coalesce(octet_length(OLD.`agent`), 0) + coalesce(octet_length(OLD.`caller`), 0) + coalesce(octet_length(OLD.`provider`), 0) + coalesce(octet_length(OLD.`model`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) SELECT `org_id`, 'usage', sum(96 + coalesce(octet_length(`org_id`), 0) + coalesce(octet_length(`day`), 0) + coalesce(octet_length(`agent`), 0) + coalesce(octet_length(`caller`), 0) + coalesce(octet_length(`provider`), 0) + coalesce(octet_length(`model`), 0)) FROM `usage_costs` WHERE `org_id` IS NOT NULL GROUP BY `org_id` ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
