CREATE TABLE "platform"."operator_keys" (
	"key" text collate "C" PRIMARY KEY NOT NULL,
	"body_hash" text collate "C" NOT NULL,
	"answer" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "operator_keys_age" ON "platform"."operator_keys" USING btree ("created_at");
