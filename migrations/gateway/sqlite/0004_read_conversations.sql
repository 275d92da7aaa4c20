ALTER TABLE `conversations` ADD `seen_at` integer;
--> statement-breakpoint
CREATE INDEX `conversations_address` ON `conversations` (`external_user`);
