CREATE TABLE "platform"."notice_outbox" (
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
CREATE TABLE "platform"."notice_inbound" (
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
CREATE TABLE "platform"."notice_hooks" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"url" text collate "C" NOT NULL,
	"secret" text collate "C" NOT NULL,
	"events" jsonb NOT NULL,
	"created_by" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"paused_reason" text collate "C",
	"quiet_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "platform"."notice_marks" (
	"tenant_id" text collate "C" NOT NULL,
	"event" text collate "C" NOT NULL,
	"occasion" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "notice_marks_tenant_id_event_occasion_pk" PRIMARY KEY("tenant_id","event","occasion")
);
--> statement-breakpoint
CREATE INDEX "notice_outbox_ready" ON "platform"."notice_outbox" USING btree ("due_at","id") WHERE "platform"."notice_outbox"."is_ready";
--> statement-breakpoint
CREATE INDEX "notice_outbox_leased" ON "platform"."notice_outbox" USING btree ("lease_until") WHERE "platform"."notice_outbox"."status" = 'sending';
--> statement-breakpoint
CREATE INDEX "notice_outbox_open" ON "platform"."notice_outbox" USING btree ("tenant_id","account_id") WHERE "platform"."notice_outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX "notice_outbox_expiry" ON "platform"."notice_outbox" USING btree ("expires_at") WHERE "platform"."notice_outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX "notice_outbox_lane" ON "platform"."notice_outbox" USING btree ("lane","id") WHERE "platform"."notice_outbox"."lane" is not null;
--> statement-breakpoint
CREATE INDEX "notice_outbox_waiting" ON "platform"."notice_outbox" USING btree ("waiting_since") WHERE "platform"."notice_outbox"."lane" is not null and "platform"."notice_outbox"."waiting_since" is not null;
--> statement-breakpoint
CREATE INDEX "notice_outbox_tenant" ON "platform"."notice_outbox" USING btree ("tenant_id","id");
--> statement-breakpoint
CREATE INDEX "notice_outbox_channel_message" ON "platform"."notice_outbox" USING btree ("channel_message_id") WHERE "platform"."notice_outbox"."channel_message_id" is not null;
--> statement-breakpoint
CREATE INDEX "notice_outbox_conversation" ON "platform"."notice_outbox" USING btree ("conversation_id") WHERE "platform"."notice_outbox"."conversation_id" is not null;
--> statement-breakpoint
CREATE INDEX "notice_outbox_recipient" ON "platform"."notice_outbox" USING btree ("recipient","id");
--> statement-breakpoint
CREATE INDEX "notice_outbox_age" ON "platform"."notice_outbox" USING btree ("created_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "notice_outbox_idempotency" ON "platform"."notice_outbox" USING btree ("tenant_id","idempotency_key");
--> statement-breakpoint
CREATE UNIQUE INDEX "notice_inbound_dedupe" ON "platform"."notice_inbound" USING btree ("account_id","dedupe_key");
--> statement-breakpoint
CREATE INDEX "notice_inbound_due" ON "platform"."notice_inbound" USING btree ("state","due_at","id");
--> statement-breakpoint
CREATE INDEX "notice_inbound_lane" ON "platform"."notice_inbound" USING btree ("lane","sent_at","id");
--> statement-breakpoint
CREATE INDEX "notice_inbound_account" ON "platform"."notice_inbound" USING btree ("account_id","state");
--> statement-breakpoint
CREATE INDEX "notice_inbound_conversation" ON "platform"."notice_inbound" USING btree ("conversation_id","closed_at");
--> statement-breakpoint
CREATE INDEX "notice_inbound_message" ON "platform"."notice_inbound" USING btree ("channel_message_id");
--> statement-breakpoint
CREATE INDEX "notice_inbound_age" ON "platform"."notice_inbound" USING btree ("received_at");
--> statement-breakpoint
CREATE INDEX "notice_hooks_tenant" ON "platform"."notice_hooks" USING btree ("tenant_id");
--> statement-breakpoint
CREATE INDEX "notice_marks_age" ON "platform"."notice_marks" USING btree ("at");
