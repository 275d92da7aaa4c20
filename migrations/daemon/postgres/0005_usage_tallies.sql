CREATE TABLE "daemon"."usage_tallies" (
	"tenant" text collate "C" NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"agent" text collate "C" NOT NULL,
	"provider" text collate "C" NOT NULL,
	"model" text collate "C" NOT NULL,
	"cost_micros" bigint NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"calls" bigint NOT NULL,
	"unpriced_calls" bigint NOT NULL,
	"estimated_calls" bigint NOT NULL,
	"latency_ms" double precision NOT NULL,
	CONSTRAINT "usage_tallies_tenant_starts_at_agent_provider_model_pk" PRIMARY KEY("tenant","starts_at","agent","provider","model")
);
--> statement-breakpoint
CREATE TABLE "daemon"."usage_records" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"record" jsonb NOT NULL
);
--> statement-breakpoint
CREATE INDEX "usage_records_tenant" ON "daemon"."usage_records" USING btree ("tenant","id");
