ALTER TABLE `run_tokens` ADD `request` text;
