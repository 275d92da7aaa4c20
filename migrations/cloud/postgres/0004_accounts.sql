CREATE TABLE "cloud"."retired_orgs" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"slug" text collate "C" NOT NULL,
	"created_by" text collate "C",
	"deleted_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "cloud"."orgs" ADD COLUMN "created_by" text collate "C";
--> statement-breakpoint
ALTER TABLE "cloud"."members" ADD COLUMN "invited_by" text collate "C";
--> statement-breakpoint
ALTER TABLE "cloud"."api_keys" ADD COLUMN "expires_at" timestamp (3) with time zone;
--> statement-breakpoint
CREATE UNIQUE INDEX "retired_orgs_slug" ON "cloud"."retired_orgs" USING btree ("slug");
--> statement-breakpoint
CREATE INDEX "retired_orgs_created_by" ON "cloud"."retired_orgs" USING btree ("created_by");
--> statement-breakpoint
CREATE INDEX "retired_orgs_age" ON "cloud"."retired_orgs" USING btree ("deleted_at");
--> statement-breakpoint
CREATE INDEX "orgs_created_by" ON "cloud"."orgs" USING btree ("created_by");
