CREATE TABLE `desk` (
	`conversation_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`assignee` text,
	`labels` text NOT NULL,
	`state` text NOT NULL,
	`snoozed_until` integer,
	`needs_reason` text,
	`needs_since` integer
);
--> statement-breakpoint
CREATE INDEX `desk_assignee` ON `desk` (`assignee`);
--> statement-breakpoint
CREATE INDEX `desk_needs` ON `desk` (`needs_since`);
--> statement-breakpoint
CREATE TABLE `desk_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`conversation_id` text NOT NULL,
	`kind` text NOT NULL,
	`by_person` text,
	`text` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `desk_entries_conversation` ON `desk_entries` (`conversation_id`,`at`,`id`);
--> statement-breakpoint
CREATE INDEX `desk_entries_age` ON `desk_entries` (`at`);
--> statement-breakpoint
CREATE TABLE `desk_seen` (
	`conversation_id` text NOT NULL,
	`person` text NOT NULL,
	`tenant_id` text NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`conversation_id`, `person`)
);
--> statement-breakpoint
CREATE INDEX `desk_seen_age` ON `desk_seen` (`seen_at`);
--> statement-breakpoint
CREATE TABLE `message_authors` (
	`message_id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`author` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `message_authors_age` ON `message_authors` (`at`);
--> statement-breakpoint
CREATE TABLE `canned_replies` (
	`id` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `canned_replies_name` ON `canned_replies` (`tenant_id`,`name`);
--> statement-breakpoint
CREATE TABLE `message_words` (
	`word` text NOT NULL,
	`tenant_id` text NOT NULL,
	`conversation_id` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`word`, `tenant_id`, `conversation_id`)
);
--> statement-breakpoint
CREATE INDEX `message_words_conversation` ON `message_words` (`conversation_id`);
--> statement-breakpoint
CREATE INDEX `message_words_age` ON `message_words` (`at`);
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `canned_replies_counted_insert` AFTER INSERT ON `canned_replies` WHEN NEW.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', 96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`name`), 0) + coalesce(octet_length(NEW.`text`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `canned_replies_counted_update` AFTER UPDATE OF `id`, `tenant_id`, `name`, `text` ON `canned_replies` WHEN NEW.`tenant_id` IS NOT NULL AND (96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`name`), 0) + coalesce(octet_length(NEW.`text`), 0)) <> (96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`name`), 0) + coalesce(octet_length(OLD.`text`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', (96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`name`), 0) + coalesce(octet_length(NEW.`text`), 0)) - (96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`name`), 0) + coalesce(octet_length(OLD.`text`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `canned_replies_counted_delete` AFTER DELETE ON `canned_replies` WHEN OLD.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`tenant_id`, 'messages', -(96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`name`), 0) + coalesce(octet_length(OLD.`text`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `desk_counted_insert` AFTER INSERT ON `desk` WHEN NEW.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', 96 + coalesce(octet_length(NEW.`conversation_id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`assignee`), 0) + coalesce(octet_length(NEW.`labels`), 0) + coalesce(octet_length(NEW.`state`), 0) + coalesce(octet_length(NEW.`needs_reason`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `desk_counted_update` AFTER UPDATE OF `conversation_id`, `tenant_id`, `assignee`, `labels`, `state`, `needs_reason` ON `desk` WHEN NEW.`tenant_id` IS NOT NULL AND (96 + coalesce(octet_length(NEW.`conversation_id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`assignee`), 0) + coalesce(octet_length(NEW.`labels`), 0) + coalesce(octet_length(NEW.`state`), 0) + coalesce(octet_length(NEW.`needs_reason`), 0)) <> (96 + coalesce(octet_length(OLD.`conversation_id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`assignee`), 0) + coalesce(octet_length(OLD.`labels`), 0) + coalesce(octet_length(OLD.`state`), 0) + coalesce(octet_length(OLD.`needs_reason`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', (96 + coalesce(octet_length(NEW.`conversation_id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`assignee`), 0) + coalesce(octet_length(NEW.`labels`), 0) + coalesce(octet_length(NEW.`state`), 0) + coalesce(octet_length(NEW.`needs_reason`), 0)) - (96 + coalesce(octet_length(OLD.`conversation_id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`assignee`), 0) + coalesce(octet_length(OLD.`labels`), 0) + coalesce(octet_length(OLD.`state`), 0) + coalesce(octet_length(OLD.`needs_reason`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `desk_counted_delete` AFTER DELETE ON `desk` WHEN OLD.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`tenant_id`, 'messages', -(96 + coalesce(octet_length(OLD.`conversation_id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`assignee`), 0) + coalesce(octet_length(OLD.`labels`), 0) + coalesce(octet_length(OLD.`state`), 0) + coalesce(octet_length(OLD.`needs_reason`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `desk_entries_counted_insert` AFTER INSERT ON `desk_entries` WHEN NEW.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', 96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`conversation_id`), 0) + coalesce(octet_length(NEW.`kind`), 0) + coalesce(octet_length(NEW.`by_person`), 0) + coalesce(octet_length(NEW.`text`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `desk_entries_counted_update` AFTER UPDATE OF `id`, `tenant_id`, `conversation_id`, `kind`, `by_person`, `text` ON `desk_entries` WHEN NEW.`tenant_id` IS NOT NULL AND (96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`conversation_id`), 0) + coalesce(octet_length(NEW.`kind`), 0) + coalesce(octet_length(NEW.`by_person`), 0) + coalesce(octet_length(NEW.`text`), 0)) <> (96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`conversation_id`), 0) + coalesce(octet_length(OLD.`kind`), 0) + coalesce(octet_length(OLD.`by_person`), 0) + coalesce(octet_length(OLD.`text`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', (96 + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`conversation_id`), 0) + coalesce(octet_length(NEW.`kind`), 0) + coalesce(octet_length(NEW.`by_person`), 0) + coalesce(octet_length(NEW.`text`), 0)) - (96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`conversation_id`), 0) + coalesce(octet_length(OLD.`kind`), 0) + coalesce(octet_length(OLD.`by_person`), 0) + coalesce(octet_length(OLD.`text`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `desk_entries_counted_delete` AFTER DELETE ON `desk_entries` WHEN OLD.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`tenant_id`, 'messages', -(96 + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`conversation_id`), 0) + coalesce(octet_length(OLD.`kind`), 0) + coalesce(octet_length(OLD.`by_person`), 0) + coalesce(octet_length(OLD.`text`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `desk_seen_counted_insert` AFTER INSERT ON `desk_seen` WHEN NEW.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', 96 + coalesce(octet_length(NEW.`conversation_id`), 0) + coalesce(octet_length(NEW.`person`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `desk_seen_counted_update` AFTER UPDATE OF `conversation_id`, `person`, `tenant_id` ON `desk_seen` WHEN NEW.`tenant_id` IS NOT NULL AND (96 + coalesce(octet_length(NEW.`conversation_id`), 0) + coalesce(octet_length(NEW.`person`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0)) <> (96 + coalesce(octet_length(OLD.`conversation_id`), 0) + coalesce(octet_length(OLD.`person`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', (96 + coalesce(octet_length(NEW.`conversation_id`), 0) + coalesce(octet_length(NEW.`person`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0)) - (96 + coalesce(octet_length(OLD.`conversation_id`), 0) + coalesce(octet_length(OLD.`person`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `desk_seen_counted_delete` AFTER DELETE ON `desk_seen` WHEN OLD.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`tenant_id`, 'messages', -(96 + coalesce(octet_length(OLD.`conversation_id`), 0) + coalesce(octet_length(OLD.`person`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `message_authors_counted_insert` AFTER INSERT ON `message_authors` WHEN NEW.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', 96 + coalesce(octet_length(NEW.`message_id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`author`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `message_authors_counted_update` AFTER UPDATE OF `message_id`, `tenant_id`, `author` ON `message_authors` WHEN NEW.`tenant_id` IS NOT NULL AND (96 + coalesce(octet_length(NEW.`message_id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`author`), 0)) <> (96 + coalesce(octet_length(OLD.`message_id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`author`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', (96 + coalesce(octet_length(NEW.`message_id`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`author`), 0)) - (96 + coalesce(octet_length(OLD.`message_id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`author`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `message_authors_counted_delete` AFTER DELETE ON `message_authors` WHEN OLD.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`tenant_id`, 'messages', -(96 + coalesce(octet_length(OLD.`message_id`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`author`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `message_words_counted_insert` AFTER INSERT ON `message_words` WHEN NEW.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', 96 + coalesce(octet_length(NEW.`word`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`conversation_id`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `message_words_counted_update` AFTER UPDATE OF `word`, `tenant_id`, `conversation_id` ON `message_words` WHEN NEW.`tenant_id` IS NOT NULL AND (96 + coalesce(octet_length(NEW.`word`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`conversation_id`), 0)) <> (96 + coalesce(octet_length(OLD.`word`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`conversation_id`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'messages', (96 + coalesce(octet_length(NEW.`word`), 0) + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`conversation_id`), 0)) - (96 + coalesce(octet_length(OLD.`word`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`conversation_id`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `message_words_counted_delete` AFTER DELETE ON `message_words` WHEN OLD.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`tenant_id`, 'messages', -(96 + coalesce(octet_length(OLD.`word`), 0) + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`conversation_id`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) SELECT `tenant_id`, 'messages', sum(96 + coalesce(octet_length(`id`), 0) + coalesce(octet_length(`tenant_id`), 0) + coalesce(octet_length(`name`), 0) + coalesce(octet_length(`text`), 0)) FROM `canned_replies` WHERE `tenant_id` IS NOT NULL GROUP BY `tenant_id` ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) SELECT `tenant_id`, 'messages', sum(96 + coalesce(octet_length(`conversation_id`), 0) + coalesce(octet_length(`tenant_id`), 0) + coalesce(octet_length(`assignee`), 0) + coalesce(octet_length(`labels`), 0) + coalesce(octet_length(`state`), 0) + coalesce(octet_length(`needs_reason`), 0)) FROM `desk` WHERE `tenant_id` IS NOT NULL GROUP BY `tenant_id` ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) SELECT `tenant_id`, 'messages', sum(96 + coalesce(octet_length(`id`), 0) + coalesce(octet_length(`tenant_id`), 0) + coalesce(octet_length(`conversation_id`), 0) + coalesce(octet_length(`kind`), 0) + coalesce(octet_length(`by_person`), 0) + coalesce(octet_length(`text`), 0)) FROM `desk_entries` WHERE `tenant_id` IS NOT NULL GROUP BY `tenant_id` ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) SELECT `tenant_id`, 'messages', sum(96 + coalesce(octet_length(`conversation_id`), 0) + coalesce(octet_length(`person`), 0) + coalesce(octet_length(`tenant_id`), 0)) FROM `desk_seen` WHERE `tenant_id` IS NOT NULL GROUP BY `tenant_id` ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) SELECT `tenant_id`, 'messages', sum(96 + coalesce(octet_length(`message_id`), 0) + coalesce(octet_length(`tenant_id`), 0) + coalesce(octet_length(`author`), 0)) FROM `message_authors` WHERE `tenant_id` IS NOT NULL GROUP BY `tenant_id` ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
--> statement-breakpoint
INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) SELECT `tenant_id`, 'messages', sum(96 + coalesce(octet_length(`word`), 0) + coalesce(octet_length(`tenant_id`), 0) + coalesce(octet_length(`conversation_id`), 0)) FROM `message_words` WHERE `tenant_id` IS NOT NULL GROUP BY `tenant_id` ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`;
