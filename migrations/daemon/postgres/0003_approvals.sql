CREATE TABLE "daemon"."approvals" (
	"tenant" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"fingerprint" text collate "C" NOT NULL,
	"asked" text collate "C" NOT NULL,
	"run" text collate "C",
	"comment" text collate "C",
	"outcome" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"owner" text collate "C",
	"held_until" timestamp (3) with time zone,
	"next_id" text collate "C",
	CONSTRAINT "approvals_tenant_id_pk" PRIMARY KEY("tenant","id")
);
--> statement-breakpoint
CREATE INDEX "approvals_agent" ON "daemon"."approvals" USING btree ("tenant","agent","id");
--> statement-breakpoint
CREATE INDEX "approvals_due" ON "daemon"."approvals" USING btree ("status","expires_at");
--> statement-breakpoint
CREATE INDEX "approvals_age" ON "daemon"."approvals" USING btree ("ended_at");
