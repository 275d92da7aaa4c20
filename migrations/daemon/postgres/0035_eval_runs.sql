CREATE TABLE "daemon"."eval_runs" (
	"tenant" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"eval_name" text collate "C" NOT NULL,
	"content" text collate "C" NOT NULL,
	"document" jsonb,
	"agent_name" text collate "C" NOT NULL,
	"subject" jsonb NOT NULL,
	"spec" jsonb,
	"checksum" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"process" text collate "C",
	"concurrency" bigint NOT NULL,
	"budget_usd_micros" bigint,
	"cases" bigint NOT NULL,
	"repeat" bigint NOT NULL,
	"finished" bigint NOT NULL,
	"passed" bigint NOT NULL,
	"spent_usd_micros" bigint NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"simulated" boolean NOT NULL,
	"summary" jsonb,
	"error_code" text collate "C",
	"message" text collate "C",
	"author" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "eval_runs_tenant_id_pk" PRIMARY KEY("tenant","id")
);
--> statement-breakpoint
CREATE TABLE "daemon"."eval_results" (
	"tenant" text collate "C" NOT NULL,
	"run_id" text collate "C" NOT NULL,
	"number" bigint NOT NULL,
	"case_id" text collate "C" NOT NULL,
	"passed" boolean NOT NULL,
	"failure" text collate "C",
	"result" text collate "C" NOT NULL,
	CONSTRAINT "eval_results_tenant_run_id_number_pk" PRIMARY KEY("tenant","run_id","number")
);
--> statement-breakpoint
CREATE INDEX "eval_runs_version" ON "daemon"."eval_runs" USING btree ("tenant","agent_name","eval_name","checksum","id");
--> statement-breakpoint
CREATE INDEX "eval_runs_open" ON "daemon"."eval_runs" USING btree ("id") WHERE "daemon"."eval_runs"."ended_at" is null;
