CREATE INDEX "channel_outbox_conversation" ON "daemon"."channel_outbox" USING btree ("conversation_id") WHERE "daemon"."channel_outbox"."conversation_id" is not null;
