ALTER TABLE `invocations` ADD `uncharged_cost_micros` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE INDEX `invocations_waiting` ON `invocations` (`tenant_id`,`month`) WHERE "invocations"."status" = 'awaiting_approval';
