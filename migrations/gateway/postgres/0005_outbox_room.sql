CREATE INDEX "outbox_open" ON "gateway"."outbox" USING btree ("tenant_id","account_id") WHERE "gateway"."outbox"."lane" is not null;
