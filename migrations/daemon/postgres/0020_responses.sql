CREATE TABLE "daemon"."responses" (
	"tenant" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"agent" text collate "C",
	"body" text collate "C" NOT NULL,
	"input" text collate "C" NOT NULL,
	"previous_id" text collate "C",
	"session_id" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	"owner" text collate "C",
	"held_until" timestamp (3) with time zone,
	CONSTRAINT "responses_tenant_id_pk" PRIMARY KEY("tenant","id")
);
--> statement-breakpoint
CREATE INDEX "responses_agent" ON "daemon"."responses" USING btree ("tenant","agent");
--> statement-breakpoint
CREATE INDEX "responses_age" ON "daemon"."responses" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "responses_held" ON "daemon"."responses" USING btree ("status","held_until");
