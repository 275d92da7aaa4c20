CREATE INDEX "channel_outbox_unsent" ON "daemon"."channel_outbox" USING btree ("status","id") WHERE "daemon"."channel_outbox"."status" <> 'sent';
--> statement-breakpoint
CREATE INDEX "channel_outbox_undelivered" ON "daemon"."channel_outbox" USING btree ("tenant_id","id") WHERE "daemon"."channel_outbox"."delivery_status" = 'failed';
