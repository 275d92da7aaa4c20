DROP INDEX `idempotency_keys_tenant`;
--> statement-breakpoint
CREATE INDEX `idempotency_keys_run` ON `idempotency_keys` (`tenant_id`,`invocation_id`);
