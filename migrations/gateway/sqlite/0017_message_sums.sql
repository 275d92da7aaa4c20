CREATE TABLE `outbox_sums` (
	`tenant_id` text NOT NULL,
	`day` integer NOT NULL,
	`channel` text NOT NULL,
	`source` text NOT NULL,
	`status` text NOT NULL,
	`delivery_status` text NOT NULL,
	`part` integer DEFAULT 0 NOT NULL,
	`messages` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `day`, `channel`, `source`, `status`, `delivery_status`, `part`)
);
--> statement-breakpoint
CREATE INDEX `outbox_sums_day` ON `outbox_sums` (`day`);
--> statement-breakpoint
CREATE TABLE `message_sums` (
	`tenant_id` text NOT NULL,
	`day` integer NOT NULL,
	`channel` text NOT NULL,
	`direction` text NOT NULL,
	`part` integer DEFAULT 0 NOT NULL,
	`messages` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `day`, `channel`, `direction`, `part`)
);
--> statement-breakpoint
CREATE INDEX `message_sums_day` ON `message_sums` (`day`);
--> statement-breakpoint
CREATE INDEX `outbox_unsent` ON `outbox` (`status`,`id`) WHERE "outbox"."status" <> 'sent';
--> statement-breakpoint
CREATE INDEX `outbox_undelivered` ON `outbox` (`tenant_id`,`id`) WHERE "outbox"."delivery_status" = 'failed';
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `message_sums_insert` AFTER INSERT ON `conversation_messages` BEGIN INSERT INTO `message_sums` (`tenant_id`, `day`, `channel`, `direction`, `part`, `messages`) SELECT coalesce(NEW.`tenant_id`, ''), (NEW.`at` / 86400000), coalesce(NEW.`channel`, ''), coalesce(NEW.`direction`, ''), 0, (1) WHERE true ON CONFLICT (`tenant_id`, `day`, `channel`, `direction`, `part`) DO UPDATE SET `messages` = `messages` + excluded.`messages`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `message_sums_update` AFTER UPDATE OF `tenant_id`, `at`, `channel`, `direction` ON `conversation_messages` WHEN OLD.`tenant_id` IS NOT NEW.`tenant_id` OR OLD.`at` IS NOT NEW.`at` OR OLD.`channel` IS NOT NEW.`channel` OR OLD.`direction` IS NOT NEW.`direction` BEGIN INSERT INTO `message_sums` (`tenant_id`, `day`, `channel`, `direction`, `part`, `messages`) SELECT coalesce(OLD.`tenant_id`, ''), (OLD.`at` / 86400000), coalesce(OLD.`channel`, ''), coalesce(OLD.`direction`, ''), 0, -(1) WHERE true ON CONFLICT (`tenant_id`, `day`, `channel`, `direction`, `part`) DO UPDATE SET `messages` = `messages` + excluded.`messages`; INSERT INTO `message_sums` (`tenant_id`, `day`, `channel`, `direction`, `part`, `messages`) SELECT coalesce(NEW.`tenant_id`, ''), (NEW.`at` / 86400000), coalesce(NEW.`channel`, ''), coalesce(NEW.`direction`, ''), 0, (1) WHERE true ON CONFLICT (`tenant_id`, `day`, `channel`, `direction`, `part`) DO UPDATE SET `messages` = `messages` + excluded.`messages`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `message_sums_delete` AFTER DELETE ON `conversation_messages` BEGIN INSERT INTO `message_sums` (`tenant_id`, `day`, `channel`, `direction`, `part`, `messages`) SELECT coalesce(OLD.`tenant_id`, ''), (OLD.`at` / 86400000), coalesce(OLD.`channel`, ''), coalesce(OLD.`direction`, ''), 0, -(1) WHERE true ON CONFLICT (`tenant_id`, `day`, `channel`, `direction`, `part`) DO UPDATE SET `messages` = `messages` + excluded.`messages`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `outbox_sums_insert` AFTER INSERT ON `outbox` BEGIN INSERT INTO `outbox_sums` (`tenant_id`, `day`, `channel`, `source`, `status`, `delivery_status`, `part`, `messages`) SELECT coalesce(NEW.`tenant_id`, ''), (NEW.`created_at` / 86400000), coalesce(NEW.`channel`, ''), coalesce(NEW.`source`, ''), coalesce(NEW.`status`, ''), coalesce(NEW.`delivery_status`, ''), 0, (1) WHERE true ON CONFLICT (`tenant_id`, `day`, `channel`, `source`, `status`, `delivery_status`, `part`) DO UPDATE SET `messages` = `messages` + excluded.`messages`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `outbox_sums_update` AFTER UPDATE OF `tenant_id`, `created_at`, `channel`, `source`, `status`, `delivery_status` ON `outbox` WHEN OLD.`tenant_id` IS NOT NEW.`tenant_id` OR OLD.`created_at` IS NOT NEW.`created_at` OR OLD.`channel` IS NOT NEW.`channel` OR OLD.`source` IS NOT NEW.`source` OR OLD.`status` IS NOT NEW.`status` OR OLD.`delivery_status` IS NOT NEW.`delivery_status` BEGIN INSERT INTO `outbox_sums` (`tenant_id`, `day`, `channel`, `source`, `status`, `delivery_status`, `part`, `messages`) SELECT coalesce(OLD.`tenant_id`, ''), (OLD.`created_at` / 86400000), coalesce(OLD.`channel`, ''), coalesce(OLD.`source`, ''), coalesce(OLD.`status`, ''), coalesce(OLD.`delivery_status`, ''), 0, -(1) WHERE true ON CONFLICT (`tenant_id`, `day`, `channel`, `source`, `status`, `delivery_status`, `part`) DO UPDATE SET `messages` = `messages` + excluded.`messages`; INSERT INTO `outbox_sums` (`tenant_id`, `day`, `channel`, `source`, `status`, `delivery_status`, `part`, `messages`) SELECT coalesce(NEW.`tenant_id`, ''), (NEW.`created_at` / 86400000), coalesce(NEW.`channel`, ''), coalesce(NEW.`source`, ''), coalesce(NEW.`status`, ''), coalesce(NEW.`delivery_status`, ''), 0, (1) WHERE true ON CONFLICT (`tenant_id`, `day`, `channel`, `source`, `status`, `delivery_status`, `part`) DO UPDATE SET `messages` = `messages` + excluded.`messages`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `outbox_sums_delete` AFTER DELETE ON `outbox` BEGIN INSERT INTO `outbox_sums` (`tenant_id`, `day`, `channel`, `source`, `status`, `delivery_status`, `part`, `messages`) SELECT coalesce(OLD.`tenant_id`, ''), (OLD.`created_at` / 86400000), coalesce(OLD.`channel`, ''), coalesce(OLD.`source`, ''), coalesce(OLD.`status`, ''), coalesce(OLD.`delivery_status`, ''), 0, -(1) WHERE true ON CONFLICT (`tenant_id`, `day`, `channel`, `source`, `status`, `delivery_status`, `part`) DO UPDATE SET `messages` = `messages` + excluded.`messages`; END;
--> statement-breakpoint
INSERT INTO `message_sums` (`tenant_id`, `day`, `channel`, `direction`, `part`, `messages`) SELECT coalesce(`tenant_id`, ''), (`at` / 86400000), coalesce(`channel`, ''), coalesce(`direction`, ''), 0, sum(1) FROM `conversation_messages` WHERE true GROUP BY coalesce(`tenant_id`, ''), (`at` / 86400000), coalesce(`channel`, ''), coalesce(`direction`, '') ON CONFLICT (`tenant_id`, `day`, `channel`, `direction`, `part`) DO UPDATE SET `messages` = `messages` + excluded.`messages`;
--> statement-breakpoint
INSERT INTO `outbox_sums` (`tenant_id`, `day`, `channel`, `source`, `status`, `delivery_status`, `part`, `messages`) SELECT coalesce(`tenant_id`, ''), (`created_at` / 86400000), coalesce(`channel`, ''), coalesce(`source`, ''), coalesce(`status`, ''), coalesce(`delivery_status`, ''), 0, sum(1) FROM `outbox` WHERE true GROUP BY coalesce(`tenant_id`, ''), (`created_at` / 86400000), coalesce(`channel`, ''), coalesce(`source`, ''), coalesce(`status`, ''), coalesce(`delivery_status`, '') ON CONFLICT (`tenant_id`, `day`, `channel`, `source`, `status`, `delivery_status`, `part`) DO UPDATE SET `messages` = `messages` + excluded.`messages`;
