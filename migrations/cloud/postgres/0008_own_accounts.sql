ALTER TABLE "cloud"."sessions" ADD COLUMN "client" text collate "C";
--> statement-breakpoint
ALTER TABLE "cloud"."sessions" ADD COLUMN "address" text collate "C";
