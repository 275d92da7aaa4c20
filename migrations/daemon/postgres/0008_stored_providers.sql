CREATE TABLE "daemon"."stored_providers" (
	"tenant" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"type" text collate "C" NOT NULL,
	"endpoint" text collate "C",
	"context_window" bigint,
	"prices" jsonb NOT NULL,
	"api_key" text collate "C",
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "stored_providers_tenant_name_pk" PRIMARY KEY("tenant","name")
);
