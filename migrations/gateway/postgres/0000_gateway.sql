CREATE TABLE "gateway"."leases" (
	"name" text collate "C" PRIMARY KEY NOT NULL,
	"owner" text collate "C" NOT NULL,
	"term" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."sealing_keys" (
	"kid" text collate "C" PRIMARY KEY NOT NULL,
	"proof" text collate "C" NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."write_checks" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."accounts" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"channel" text collate "C" NOT NULL,
	"external_id" text collate "C" NOT NULL,
	"credentials" text collate "C" NOT NULL,
	"masked" jsonb NOT NULL,
	"emulated" boolean NOT NULL,
	"paused_reason" text collate "C",
	"quiet_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."bindings" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"channel" text collate "C" NOT NULL,
	"account_id" text collate "C" NOT NULL,
	"entry_agent" text collate "C",
	"fallback_message" text collate "C" NOT NULL,
	"config" text collate "C" NOT NULL,
	"masked" jsonb NOT NULL,
	"revision" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."conversations" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"channel" text collate "C" NOT NULL,
	"account_id" text collate "C" NOT NULL,
	"external_user" text collate "C" NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"agent_name" text collate "C",
	"contact_name" text collate "C",
	"mode" text collate "C" NOT NULL,
	"last_message_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."conversation_messages" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"conversation_id" text collate "C" NOT NULL,
	"channel" text collate "C" NOT NULL,
	"direction" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"text" text collate "C" NOT NULL,
	"media" jsonb NOT NULL,
	"channel_message_id" text collate "C",
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."identities" (
	"tenant_id" text collate "C" NOT NULL,
	"channel" text collate "C" NOT NULL,
	"phone" text collate "C" NOT NULL,
	"external_user" text collate "C" NOT NULL,
	"verified_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "identities_tenant_id_channel_phone_external_user_pk" PRIMARY KEY("tenant_id","channel","phone","external_user")
);
--> statement-breakpoint
CREATE TABLE "gateway"."outbox" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"channel" text collate "C" NOT NULL,
	"account_id" text collate "C" NOT NULL,
	"recipient" text collate "C" NOT NULL,
	"conversation_id" text collate "C",
	"source" text collate "C" NOT NULL,
	"payload" jsonb NOT NULL,
	"lane" text collate "C",
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
	"idempotency_key" text collate "C",
	"idempotency_digest" text collate "C"
);
--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_external" ON "gateway"."accounts" USING btree ("channel","external_id");
--> statement-breakpoint
CREATE INDEX "accounts_tenant" ON "gateway"."accounts" USING btree ("tenant_id","created_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "bindings_account" ON "gateway"."bindings" USING btree ("account_id");
--> statement-breakpoint
CREATE INDEX "bindings_tenant" ON "gateway"."bindings" USING btree ("tenant_id","created_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "conversations_user" ON "gateway"."conversations" USING btree ("account_id","external_user");
--> statement-breakpoint
CREATE INDEX "conversations_recent" ON "gateway"."conversations" USING btree ("last_message_at","id");
--> statement-breakpoint
CREATE INDEX "conversations_tenant" ON "gateway"."conversations" USING btree ("tenant_id","last_message_at","id");
--> statement-breakpoint
CREATE INDEX "conversation_messages_order" ON "gateway"."conversation_messages" USING btree ("conversation_id","at","id");
--> statement-breakpoint
CREATE INDEX "conversation_messages_age" ON "gateway"."conversation_messages" USING btree ("at");
--> statement-breakpoint
CREATE INDEX "outbox_due" ON "gateway"."outbox" USING btree ("status","due_at","id");
--> statement-breakpoint
CREATE INDEX "outbox_lane" ON "gateway"."outbox" USING btree ("lane","id");
--> statement-breakpoint
CREATE INDEX "outbox_tenant" ON "gateway"."outbox" USING btree ("tenant_id","id");
--> statement-breakpoint
CREATE INDEX "outbox_account" ON "gateway"."outbox" USING btree ("account_id","status");
--> statement-breakpoint
CREATE INDEX "outbox_channel_message" ON "gateway"."outbox" USING btree ("channel_message_id");
--> statement-breakpoint
CREATE INDEX "outbox_age" ON "gateway"."outbox" USING btree ("created_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "outbox_idempotency" ON "gateway"."outbox" USING btree ("tenant_id","idempotency_key");
