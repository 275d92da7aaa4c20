CREATE TABLE "gateway"."trail" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"message_id" text collate "C" NOT NULL,
	"tenant_id" text collate "C",
	"account_id" text collate "C",
	"channel" text collate "C" NOT NULL,
	"direction" text collate "C" NOT NULL,
	"event" text collate "C" NOT NULL,
	"address" text collate "C",
	"channel_message_id" text collate "C",
	"related_id" text collate "C",
	"details" jsonb NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "gateway"."outbox_due";
--> statement-breakpoint
DROP INDEX "gateway"."outbox_account";
--> statement-breakpoint
DROP INDEX "gateway"."outbox_lane";
--> statement-breakpoint
DROP INDEX "gateway"."outbox_channel_message";
--> statement-breakpoint
ALTER TABLE "gateway"."outbox" ADD COLUMN "is_ready" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
CREATE INDEX "trail_message" ON "gateway"."trail" USING btree ("message_id","id");
--> statement-breakpoint
CREATE INDEX "trail_channel_message" ON "gateway"."trail" USING btree ("channel_message_id");
--> statement-breakpoint
CREATE INDEX "trail_address" ON "gateway"."trail" USING btree ("address","id");
--> statement-breakpoint
CREATE INDEX "trail_related" ON "gateway"."trail" USING btree ("related_id");
--> statement-breakpoint
CREATE INDEX "trail_age" ON "gateway"."trail" USING btree ("at");
--> statement-breakpoint
CREATE INDEX "outbox_ready" ON "gateway"."outbox" USING btree ("due_at","id") WHERE "gateway"."outbox"."is_ready";
--> statement-breakpoint
CREATE INDEX "outbox_leased" ON "gateway"."outbox" USING btree ("lease_until") WHERE "gateway"."outbox"."status" = 'sending';
--> statement-breakpoint
CREATE INDEX "outbox_expiry" ON "gateway"."outbox" USING btree ("expires_at") WHERE "gateway"."outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX "outbox_waiting" ON "gateway"."outbox" USING btree ("waiting_since") WHERE "gateway"."outbox"."lane" is not null and "gateway"."outbox"."waiting_since" is not null;
--> statement-breakpoint
CREATE INDEX "outbox_recipient" ON "gateway"."outbox" USING btree ("recipient","id");
--> statement-breakpoint
CREATE INDEX "outbox_lane" ON "gateway"."outbox" USING btree ("lane","id") WHERE "gateway"."outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX "outbox_channel_message" ON "gateway"."outbox" USING btree ("channel_message_id") WHERE "gateway"."outbox"."channel_message_id" is not null;
--> statement-breakpoint
UPDATE "gateway"."outbox" SET "is_ready" = true WHERE "status" = 'pending';
