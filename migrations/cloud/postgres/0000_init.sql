CREATE TABLE "cloud"."leases" (
	"name" text collate "C" PRIMARY KEY NOT NULL,
	"owner" text collate "C" NOT NULL,
	"term" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "cloud"."sealing_keys" (
	"kid" text collate "C" PRIMARY KEY NOT NULL,
	"proof" text collate "C" NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "cloud"."write_checks" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "cloud"."users" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"email" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"source" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "cloud"."identities" (
	"source" text collate "C" NOT NULL,
	"subject" text collate "C" NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"linked_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "identities_source_subject_pk" PRIMARY KEY("source","subject")
);
--> statement-breakpoint
CREATE TABLE "cloud"."sign_in_states" (
	"hash" text collate "C" PRIMARY KEY NOT NULL,
	"source" text collate "C" NOT NULL,
	"verifier" text collate "C" NOT NULL,
	"redirect_uri" text collate "C" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "cloud"."sessions" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "cloud"."refresh_tokens" (
	"hash" text collate "C" PRIMARY KEY NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"issued_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"rotated_at" timestamp (3) with time zone,
	"successor" text collate "C"
);
--> statement-breakpoint
CREATE TABLE "cloud"."orgs" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"slug" text collate "C" NOT NULL,
	"display_name" text collate "C" NOT NULL,
	"plan" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "cloud"."members" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"org_id" text collate "C" NOT NULL,
	"email" text collate "C" NOT NULL,
	"user_id" text collate "C",
	"role" text collate "C" NOT NULL,
	"invited_at" timestamp (3) with time zone NOT NULL,
	"joined_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "cloud"."api_keys" (
	"hash" text collate "C" PRIMARY KEY NOT NULL,
	"id" text collate "C" NOT NULL,
	"org_id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"prefix" text collate "C" NOT NULL,
	"created_by" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "cloud"."provider_keys" (
	"org_id" text collate "C" NOT NULL,
	"provider" text collate "C" NOT NULL,
	"sealed" text collate "C" NOT NULL,
	"masked" text collate "C" NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "provider_keys_org_id_provider_pk" PRIMARY KEY("org_id","provider")
);
--> statement-breakpoint
CREATE TABLE "cloud"."agents" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"org_id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"display_name" text collate "C" NOT NULL,
	"config" jsonb NOT NULL,
	"status" text collate "C" NOT NULL,
	"spec" jsonb,
	"checksum" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deployed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "cloud"."retired_agents" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"org_id" text collate "C" NOT NULL,
	"runtime_name" text collate "C" NOT NULL,
	"retired_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "cloud"."daily_counters" (
	"org_id" text collate "C" NOT NULL,
	"day" text collate "C" NOT NULL,
	"requests" bigint NOT NULL,
	CONSTRAINT "daily_counters_org_id_day_pk" PRIMARY KEY("org_id","day")
);
--> statement-breakpoint
CREATE TABLE "cloud"."agent_usage" (
	"org_id" text collate "C" NOT NULL,
	"day" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"requests" bigint NOT NULL,
	"tokens" bigint NOT NULL,
	CONSTRAINT "agent_usage_org_id_day_agent_pk" PRIMARY KEY("org_id","day","agent")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "cloud"."users" USING btree ("email");
--> statement-breakpoint
CREATE INDEX "sign_in_states_age" ON "cloud"."sign_in_states" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "sessions_user" ON "cloud"."sessions" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "refresh_tokens_session" ON "cloud"."refresh_tokens" USING btree ("session_id");
--> statement-breakpoint
CREATE INDEX "refresh_tokens_age" ON "cloud"."refresh_tokens" USING btree ("expires_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "orgs_slug" ON "cloud"."orgs" USING btree ("slug");
--> statement-breakpoint
CREATE UNIQUE INDEX "members_email" ON "cloud"."members" USING btree ("org_id","email");
--> statement-breakpoint
CREATE INDEX "members_user" ON "cloud"."members" USING btree ("user_id","joined_at");
--> statement-breakpoint
CREATE INDEX "members_invited" ON "cloud"."members" USING btree ("email");
--> statement-breakpoint
CREATE INDEX "api_keys_org" ON "cloud"."api_keys" USING btree ("org_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "agents_name" ON "cloud"."agents" USING btree ("org_id","name");
--> statement-breakpoint
CREATE INDEX "agents_status" ON "cloud"."agents" USING btree ("status","id");
