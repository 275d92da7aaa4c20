CREATE TABLE "daemon"."cassettes" (
	"tenant" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"summary" jsonb NOT NULL,
	"text" text collate "C" NOT NULL,
	"bytes" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "cassettes_tenant_id_pk" PRIMARY KEY("tenant","id")
);
--> statement-breakpoint
CREATE INDEX "cassettes_age" ON "daemon"."cassettes" USING btree ("at");
