CREATE TABLE "platform"."tenant_members" (
	"tenant_id" text collate "C" NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"role" text collate "C" NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "tenant_members_tenant_id_user_id_pk" PRIMARY KEY("tenant_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "platform"."tenant_invitations" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"email" text collate "C" NOT NULL,
	"role" text collate "C" NOT NULL,
	"token_hash" text collate "C" NOT NULL,
	"invited_by" text collate "C" NOT NULL,
	"invited_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
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
	"agent_name" text collate "C" NOT NULL,
	"subject" jsonb NOT NULL,
	"spec" jsonb,
	"checksum" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"process" text collate "C",
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
CREATE INDEX "tenant_members_user" ON "platform"."tenant_members" USING btree ("user_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "tenant_invitations_token" ON "platform"."tenant_invitations" USING btree ("token_hash");
--> statement-breakpoint
CREATE UNIQUE INDEX "tenant_invitations_email" ON "platform"."tenant_invitations" USING btree ("tenant_id","email");
--> statement-breakpoint
CREATE INDEX "eval_runs_version" ON "platform"."eval_runs" USING btree ("tenant_id","agent_name","eval_name","checksum","id");
--> statement-breakpoint
CREATE INDEX "eval_runs_open" ON "platform"."eval_runs" USING btree ("id") WHERE "platform"."eval_runs"."ended_at" is null;
--> statement-breakpoint
INSERT INTO "platform"."tenant_members" ("tenant_id", "user_id", "role", "joined_at") SELECT "id", "user_id", 'owner', "created_at" FROM "platform"."tenants";
