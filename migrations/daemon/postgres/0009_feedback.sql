CREATE TABLE "daemon"."feedback" (
	"tenant" text collate "C" NOT NULL,
	"trace_id" text collate "C" NOT NULL,
	"rating" text collate "C",
	"body" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "feedback_tenant_trace_id_pk" PRIMARY KEY("tenant","trace_id")
);
--> statement-breakpoint
CREATE INDEX "feedback_age" ON "daemon"."feedback" USING btree ("started_at");
