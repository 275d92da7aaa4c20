ALTER TABLE `invocations` ADD `rated_at` integer;
