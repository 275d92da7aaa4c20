CREATE TABLE "daemon"."channel_inbound" (
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
CREATE TABLE "daemon"."channel_outbox" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"channel" text collate "C" NOT NULL,
	"account_id" text collate "C" NOT NULL,
	"recipient" text collate "C" NOT NULL,
	"conversation_id" text collate "C",
	"source" text collate "C" NOT NULL,
	"payload" jsonb NOT NULL,
	"lane" text collate "C",
	"is_ready" boolean DEFAULT false NOT NULL,
	"status" text collate "C" NOT NULL,
	"attempts" bigint NOT NULL,
	"unknowns" bigint NOT NULL,
	"is_unsettled" boolean NOT NULL,
	"last_error" text collate "C",
	"due_at" timestamp (3) with time zone NOT NULL,
	"waiting_since" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"owner" text collate "C",
	"attempt_id" text collate "C",
	"lease_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"sent_at" timestamp (3) with time zone,
	"parts_done" bigint NOT NULL,
	"channel_message_id" text collate "C",
	"delivery_status" text collate "C",
	"invocation_id" text collate "C",
	"idempotency_key" text collate "C",
	"idempotency_digest" text collate "C"
);
--> statement-breakpoint
CREATE TABLE "daemon"."channel_accounts" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"paused_reason" text collate "C",
	"quiet_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "daemon"."channel_senders" (
	"account" text collate "C" NOT NULL,
	"sender" text collate "C" NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"messages" bigint NOT NULL,
	CONSTRAINT "channel_senders_account_sender_pk" PRIMARY KEY("account","sender")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "channel_inbound_dedupe" ON "daemon"."channel_inbound" USING btree ("account_id","dedupe_key");
--> statement-breakpoint
CREATE INDEX "channel_inbound_due" ON "daemon"."channel_inbound" USING btree ("state","due_at","id");
--> statement-breakpoint
CREATE INDEX "channel_inbound_lane" ON "daemon"."channel_inbound" USING btree ("lane","sent_at","id");
--> statement-breakpoint
CREATE INDEX "channel_inbound_account" ON "daemon"."channel_inbound" USING btree ("account_id","state");
--> statement-breakpoint
CREATE INDEX "channel_inbound_conversation" ON "daemon"."channel_inbound" USING btree ("conversation_id","closed_at");
--> statement-breakpoint
CREATE INDEX "channel_inbound_message" ON "daemon"."channel_inbound" USING btree ("channel_message_id");
--> statement-breakpoint
CREATE INDEX "channel_inbound_age" ON "daemon"."channel_inbound" USING btree ("received_at");
--> statement-breakpoint
CREATE INDEX "channel_outbox_ready" ON "daemon"."channel_outbox" USING btree ("due_at","id") WHERE "daemon"."channel_outbox"."is_ready";
--> statement-breakpoint
CREATE INDEX "channel_outbox_leased" ON "daemon"."channel_outbox" USING btree ("lease_until") WHERE "daemon"."channel_outbox"."status" = 'sending';
--> statement-breakpoint
CREATE INDEX "channel_outbox_open" ON "daemon"."channel_outbox" USING btree ("tenant_id","account_id") WHERE "daemon"."channel_outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX "channel_outbox_expiry" ON "daemon"."channel_outbox" USING btree ("expires_at") WHERE "daemon"."channel_outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX "channel_outbox_lane" ON "daemon"."channel_outbox" USING btree ("lane","id") WHERE "daemon"."channel_outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX "channel_outbox_waiting" ON "daemon"."channel_outbox" USING btree ("waiting_since") WHERE "daemon"."channel_outbox"."lane" is not null and "daemon"."channel_outbox"."waiting_since" is not null;
--> statement-breakpoint
CREATE INDEX "channel_outbox_tenant" ON "daemon"."channel_outbox" USING btree ("tenant_id","id");
--> statement-breakpoint
CREATE INDEX "channel_outbox_channel_message" ON "daemon"."channel_outbox" USING btree ("channel_message_id") WHERE "daemon"."channel_outbox"."channel_message_id" is not null;
--> statement-breakpoint
CREATE INDEX "channel_outbox_recipient" ON "daemon"."channel_outbox" USING btree ("recipient","id");
--> statement-breakpoint
CREATE INDEX "channel_outbox_age" ON "daemon"."channel_outbox" USING btree ("created_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "channel_outbox_idempotency" ON "daemon"."channel_outbox" USING btree ("tenant_id","idempotency_key");
--> statement-breakpoint
CREATE INDEX "channel_senders_age" ON "daemon"."channel_senders" USING btree ("started_at");
