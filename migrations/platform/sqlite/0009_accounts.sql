ALTER TABLE `api_keys` ADD `expires_at` integer;
