CREATE INDEX `outbox_open` ON `outbox` (`tenant_id`,`account_id`) WHERE "outbox"."lane" is not null;
