CREATE TABLE "daemon"."caller_runs" (
	"tenant" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"key" text collate "C",
	"request_hash" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"request" text collate "C" NOT NULL,
	"answer" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	"owner" text collate "C",
	CONSTRAINT "caller_runs_tenant_id_pk" PRIMARY KEY("tenant","id")
);
--> statement-breakpoint
ALTER TABLE "daemon"."responses" ADD COLUMN "request" text collate "C";
--> statement-breakpoint
CREATE UNIQUE INDEX "caller_runs_key" ON "daemon"."caller_runs" USING btree ("tenant","key");
--> statement-breakpoint
CREATE INDEX "caller_runs_status" ON "daemon"."caller_runs" USING btree ("status","agent");
--> statement-breakpoint
CREATE INDEX "caller_runs_agent" ON "daemon"."caller_runs" USING btree ("tenant","agent","session_id");
--> statement-breakpoint
CREATE INDEX "caller_runs_age" ON "daemon"."caller_runs" USING btree ("created_at");
