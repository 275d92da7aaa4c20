CREATE TABLE "daemon"."mcp_tasks" (
	"tenant" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"client" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"input" text collate "C" NOT NULL,
	"result" text collate "C",
	"awaits" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"interruptions" bigint NOT NULL,
	"owner" text collate "C",
	"held_until" timestamp (3) with time zone,
	CONSTRAINT "mcp_tasks_tenant_id_pk" PRIMARY KEY("tenant","id")
);
--> statement-breakpoint
CREATE INDEX "mcp_tasks_held" ON "daemon"."mcp_tasks" USING btree ("status","held_until");
--> statement-breakpoint
CREATE INDEX "mcp_tasks_agent" ON "daemon"."mcp_tasks" USING btree ("tenant","agent");
--> statement-breakpoint
CREATE INDEX "mcp_tasks_age" ON "daemon"."mcp_tasks" USING btree ("created_at");
