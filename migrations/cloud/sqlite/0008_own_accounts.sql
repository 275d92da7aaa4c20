ALTER TABLE `sessions` ADD `client` text;
--> statement-breakpoint
ALTER TABLE `sessions` ADD `address` text;
