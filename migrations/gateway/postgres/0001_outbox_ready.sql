DROP INDEX "gateway"."outbox_due";
--> statement-breakpoint
DROP INDEX "gateway"."outbox_account";
--> statement-breakpoint
DROP INDEX "gateway"."outbox_lane";
--> statement-breakpoint
DROP INDEX "gateway"."outbox_channel_message";
--> statement-breakpoint
ALTER TABLE "gateway"."outbox" ADD COLUMN "is_ready" boolean NOT NULL;
--> statement-breakpoint
CREATE INDEX "outbox_ready" ON "gateway"."outbox" USING btree ("due_at","id") WHERE "gateway"."outbox"."is_ready";
--> statement-breakpoint
CREATE INDEX "outbox_leased" ON "gateway"."outbox" USING btree ("lease_until") WHERE "gateway"."outbox"."status" = 'sending';
--> statement-breakpoint
CREATE INDEX "outbox_expiry" ON "gateway"."outbox" USING btree ("expires_at") WHERE "gateway"."outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX "outbox_waiting" ON "gateway"."outbox" USING btree ("waiting_since") WHERE "gateway"."outbox"."lane" is not null and "gateway"."outbox"."waiting_since" is not null;
--> statement-breakpoint
CREATE INDEX "outbox_lane" ON "gateway"."outbox" USING btree ("lane","id") WHERE "gateway"."outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX "outbox_channel_message" ON "gateway"."outbox" USING btree ("channel_message_id") WHERE "gateway"."outbox"."channel_message_id" is not null;
