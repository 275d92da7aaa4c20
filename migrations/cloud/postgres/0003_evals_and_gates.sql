CREATE TABLE "cloud"."evals" (
	"org_id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"agent_name" text collate "C" NOT NULL,
	"document" jsonb NOT NULL,
	"content" text collate "C" NOT NULL,
	"cases" bigint NOT NULL,
	"author" text collate "C" NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "evals_org_id_name_pk" PRIMARY KEY("org_id","name")
);
--> statement-breakpoint
CREATE TABLE "cloud"."eval_runs" (
	"org_id" text collate "C" NOT NULL,
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
	"budget_tokens" bigint,
	"cases" bigint NOT NULL,
	"repeat" bigint NOT NULL,
	"finished" bigint NOT NULL,
	"passed" bigint NOT NULL,
	"tokens" bigint NOT NULL,
	"simulated" boolean NOT NULL,
	"summary" jsonb,
	"error_code" text collate "C",
	"message" text collate "C",
	"author" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "eval_runs_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "cloud"."eval_results" (
	"org_id" text collate "C" NOT NULL,
	"run_id" text collate "C" NOT NULL,
	"number" bigint NOT NULL,
	"case_id" text collate "C" NOT NULL,
	"passed" boolean NOT NULL,
	"failure" text collate "C",
	"result" text collate "C" NOT NULL,
	CONSTRAINT "eval_results_org_id_run_id_number_pk" PRIMARY KEY("org_id","run_id","number")
);
--> statement-breakpoint
ALTER TABLE "cloud"."agents" ADD COLUMN "released_checksum" text collate "C";
--> statement-breakpoint
ALTER TABLE "cloud"."agents" ADD COLUMN "requires" jsonb;
--> statement-breakpoint
CREATE INDEX "eval_runs_version" ON "cloud"."eval_runs" USING btree ("org_id","agent_name","eval_name","checksum","id");
--> statement-breakpoint
CREATE INDEX "eval_runs_open" ON "cloud"."eval_runs" USING btree ("id") WHERE "cloud"."eval_runs"."ended_at" is null;
--> statement-breakpoint
UPDATE "cloud"."agents" SET "released_checksum" = "checksum";
