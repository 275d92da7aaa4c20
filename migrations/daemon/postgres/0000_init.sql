CREATE TABLE "daemon"."leases" (
	"name" text collate "C" PRIMARY KEY NOT NULL,
	"owner" text collate "C" NOT NULL,
	"term" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "daemon"."sealing_keys" (
	"kid" text collate "C" PRIMARY KEY NOT NULL,
	"proof" text collate "C" NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "daemon"."write_checks" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "daemon"."turns" (
	"tenant" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"seq" bigint NOT NULL,
	"role" text collate "C" NOT NULL,
	"content" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"token_count" bigint NOT NULL,
	"metadata" jsonb NOT NULL,
	CONSTRAINT "turns_tenant_agent_session_id_seq_pk" PRIMARY KEY("tenant","agent","session_id","seq")
);
--> statement-breakpoint
CREATE TABLE "daemon"."traces" (
	"tenant" text collate "C" NOT NULL,
	"trace_id" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"duration_ms" double precision NOT NULL,
	"bytes" bigint NOT NULL,
	"body" text collate "C" NOT NULL,
	CONSTRAINT "traces_tenant_trace_id_pk" PRIMARY KEY("tenant","trace_id")
);
--> statement-breakpoint
CREATE INDEX "traces_newest" ON "daemon"."traces" USING btree ("tenant","started_at","trace_id");
--> statement-breakpoint
CREATE INDEX "traces_newest_of_agent" ON "daemon"."traces" USING btree ("tenant","agent","started_at","trace_id");
--> statement-breakpoint
CREATE INDEX "traces_age" ON "daemon"."traces" USING btree ("started_at","bytes");
