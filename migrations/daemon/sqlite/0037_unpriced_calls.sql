ALTER TABLE `run_facts` ADD `unpriced_calls` integer DEFAULT 0 NOT NULL;
