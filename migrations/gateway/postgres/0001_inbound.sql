CREATE TABLE "gateway"."inbound" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"channel" text collate "C" NOT NULL,
	"account_id" text collate "C" NOT NULL,
	"dedupe_key" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"event" jsonb NOT NULL,
	"channel_message_id" text collate "C",
	"lane" text collate "C",
	"state" text collate "C" NOT NULL,
	"tries" bigint NOT NULL,
	"interruptions" bigint NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"owner" text collate "C",
	"attempt_id" text collate "C",
	"lease_until" timestamp (3) with time zone,
	"conversation_id" text collate "C",
	"plan" jsonb,
	"invocation_id" text collate "C",
	"outcome" text collate "C",
	"closed_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "gateway"."conversations" ADD COLUMN "recipient" text collate "C";
--> statement-breakpoint
ALTER TABLE "gateway"."conversations" ADD COLUMN "handoff_agent" text collate "C";
--> statement-breakpoint
ALTER TABLE "gateway"."conversations" ADD COLUMN "opened_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "gateway"."conversations" ADD COLUMN "unreachable_at" timestamp (3) with time zone;
--> statement-breakpoint
CREATE UNIQUE INDEX "inbound_dedupe" ON "gateway"."inbound" USING btree ("account_id","dedupe_key");
--> statement-breakpoint
CREATE INDEX "inbound_due" ON "gateway"."inbound" USING btree ("state","due_at","id");
--> statement-breakpoint
CREATE INDEX "inbound_lane" ON "gateway"."inbound" USING btree ("lane","sent_at","id");
--> statement-breakpoint
CREATE INDEX "inbound_account" ON "gateway"."inbound" USING btree ("account_id","state");
--> statement-breakpoint
CREATE INDEX "inbound_conversation" ON "gateway"."inbound" USING btree ("conversation_id","closed_at");
--> statement-breakpoint
CREATE INDEX "inbound_message" ON "gateway"."inbound" USING btree ("channel_message_id");
--> statement-breakpoint
CREATE INDEX "inbound_age" ON "gateway"."inbound" USING btree ("received_at");
--> statement-breakpoint
CREATE INDEX "identities_user" ON "gateway"."identities" USING btree ("tenant_id","channel","external_user");
