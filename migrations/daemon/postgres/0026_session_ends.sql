CREATE TABLE "daemon"."session_ends" (
	"tenant" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "session_ends_tenant_agent_session_id_pk" PRIMARY KEY("tenant","agent","session_id")
);
--> statement-breakpoint
CREATE INDEX "session_ends_by_time" ON "daemon"."session_ends" USING btree ("at");
