DROP INDEX "platform"."idempotency_keys_tenant";
--> statement-breakpoint
CREATE INDEX "idempotency_keys_run" ON "platform"."idempotency_keys" USING btree ("tenant_id","invocation_id");
