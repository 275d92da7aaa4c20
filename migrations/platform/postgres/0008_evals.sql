CREATE TABLE "platform"."evals" (
	"tenant_id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"agent_name" text collate "C" NOT NULL,
	"document" jsonb NOT NULL,
	"content" text collate "C" NOT NULL,
	"cases" bigint NOT NULL,
	"author" text collate "C" NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "evals_tenant_id_name_pk" PRIMARY KEY("tenant_id","name")
);
--> statement-breakpoint
CREATE TABLE "platform"."eval_runs" (
	"tenant_id" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"eval_name" text collate "C" NOT NULL,
	"content" text collate "C" NOT NULL,
	"document" jsonb,
	"agent_id" text collate "C",
	"agent_name" text collate "C" NOT NULL,
	"agent_version" bigint,
	"subscription_id" text collate "C",
	"spec" jsonb,
	"checksum" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"owner" text collate "C",
	"concurrency" bigint NOT NULL,
	"budget_micros" bigint,
	"cases" bigint NOT NULL,
	"repeat" bigint NOT NULL,
	"finished" bigint NOT NULL,
	"passed" bigint NOT NULL,
	"charged_micros" bigint NOT NULL,
	"simulated" boolean NOT NULL,
	"summary" jsonb,
	"error_code" text collate "C",
	"message" text collate "C",
	"author" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "eval_runs_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "platform"."eval_results" (
	"tenant_id" text collate "C" NOT NULL,
	"run_id" text collate "C" NOT NULL,
	"number" bigint NOT NULL,
	"case_id" text collate "C" NOT NULL,
	"passed" boolean NOT NULL,
	"failure" text collate "C",
	"result" text collate "C" NOT NULL,
	CONSTRAINT "eval_results_tenant_id_run_id_number_pk" PRIMARY KEY("tenant_id","run_id","number")
);
--> statement-breakpoint
CREATE INDEX "eval_runs_version" ON "platform"."eval_runs" USING btree ("tenant_id","agent_name","eval_name","checksum","id");
--> statement-breakpoint
CREATE INDEX "eval_runs_open" ON "platform"."eval_runs" USING btree ("id") WHERE "platform"."eval_runs"."ended_at" is null;
