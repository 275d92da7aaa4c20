ALTER TABLE "platform"."invocations" ADD COLUMN "rated_at" timestamp (3) with time zone;
