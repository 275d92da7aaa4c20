CREATE INDEX `channel_outbox_conversation` ON `channel_outbox` (`conversation_id`) WHERE "channel_outbox"."conversation_id" is not null;
