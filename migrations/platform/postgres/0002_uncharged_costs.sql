ALTER TABLE "platform"."invocations" ADD COLUMN "uncharged_cost_micros" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE INDEX "invocations_waiting" ON "platform"."invocations" USING btree ("tenant_id","month") WHERE "platform"."invocations"."status" = 'awaiting_approval';
