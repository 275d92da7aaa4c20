CREATE TABLE "daemon"."canary_runs" (
	"tenant" text collate "C" NOT NULL,
	"trace_id" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"canary" text collate "C" NOT NULL,
	"is_canary" boolean NOT NULL,
	"failed" boolean NOT NULL,
	"cost_usd" double precision,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "canary_runs_tenant_trace_id_pk" PRIMARY KEY("tenant","trace_id")
);
--> statement-breakpoint
CREATE INDEX "canary_runs_agent" ON "daemon"."canary_runs" USING btree ("tenant","agent","canary");
