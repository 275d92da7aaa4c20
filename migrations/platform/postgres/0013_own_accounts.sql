CREATE TABLE "platform"."account_links" (
	"user_id" text collate "C" NOT NULL,
	"purpose" text collate "C" NOT NULL,
	"email" text collate "C",
	"token_hash" text collate "C",
	"requested_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "account_links_user_id_purpose_pk" PRIMARY KEY("user_id","purpose")
);
--> statement-breakpoint
ALTER TABLE "platform"."users" ADD COLUMN "password_expired_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "platform"."users" ADD COLUMN "deleted_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "platform"."sessions" ADD COLUMN "client" text collate "C";
--> statement-breakpoint
ALTER TABLE "platform"."sessions" ADD COLUMN "address" text collate "C";
--> statement-breakpoint
CREATE UNIQUE INDEX "account_links_token" ON "platform"."account_links" USING btree ("token_hash");
--> statement-breakpoint
CREATE INDEX "account_links_age" ON "platform"."account_links" USING btree ("expires_at");
