CREATE TABLE "platform"."run_feedback" (
	"tenant_id" text collate "C" NOT NULL,
	"invocation_id" text collate "C" NOT NULL,
	"source" text collate "C" NOT NULL,
	"rating" text collate "C",
	"body" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "run_feedback_tenant_id_invocation_id_source_pk" PRIMARY KEY("tenant_id","invocation_id","source")
);
