ALTER TABLE "gateway"."conversations" ADD COLUMN "seen_at" timestamp (3) with time zone;
--> statement-breakpoint
CREATE INDEX "conversations_address" ON "gateway"."conversations" USING btree ("external_user");
