CREATE TABLE "daemon"."rate_windows" (
	"scope" text collate "C" PRIMARY KEY NOT NULL,
	"calls" jsonb NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "rate_windows_age" ON "daemon"."rate_windows" USING btree ("ends_at");
