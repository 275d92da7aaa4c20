CREATE TABLE "daemon"."triggers" (
	"tenant" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"source" text collate "C" NOT NULL,
	"events" text collate "C" NOT NULL,
	"is_paused" boolean NOT NULL,
	"schedule" text collate "C",
	"cursor_at" timestamp (3) with time zone,
	"seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "triggers_tenant_agent_name_pk" PRIMARY KEY("tenant","agent","name")
);
--> statement-breakpoint
CREATE TABLE "daemon"."trigger_fires" (
	"tenant" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"trigger" text collate "C" NOT NULL,
	"type" text collate "C" NOT NULL,
	"key" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"by_person" boolean NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"payload" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"owner" text collate "C",
	"held_until" timestamp (3) with time zone,
	"trace_id" text collate "C",
	"session_id" text collate "C",
	"awaits" text collate "C",
	"error_code" text collate "C",
	"error_message" text collate "C",
	CONSTRAINT "trigger_fires_tenant_id_pk" PRIMARY KEY("tenant","id")
);
--> statement-breakpoint
CREATE INDEX "triggers_source" ON "daemon"."triggers" USING btree ("tenant","source");
--> statement-breakpoint
CREATE UNIQUE INDEX "trigger_fires_key" ON "daemon"."trigger_fires" USING btree ("tenant","agent","trigger","key");
--> statement-breakpoint
CREATE INDEX "trigger_fires_trigger" ON "daemon"."trigger_fires" USING btree ("tenant","agent","trigger","id");
--> statement-breakpoint
CREATE INDEX "trigger_fires_status" ON "daemon"."trigger_fires" USING btree ("status","id");
--> statement-breakpoint
CREATE INDEX "trigger_fires_age" ON "daemon"."trigger_fires" USING btree ("created_at");
