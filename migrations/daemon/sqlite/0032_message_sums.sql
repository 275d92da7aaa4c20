CREATE INDEX `channel_outbox_unsent` ON `channel_outbox` (`status`,`id`) WHERE "channel_outbox"."status" <> 'sent';
--> statement-breakpoint
CREATE INDEX `channel_outbox_undelivered` ON `channel_outbox` (`tenant_id`,`id`) WHERE "channel_outbox"."delivery_status" = 'failed';
