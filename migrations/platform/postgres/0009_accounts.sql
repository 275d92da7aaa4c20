ALTER TABLE "platform"."api_keys" ADD COLUMN "expires_at" timestamp (3) with time zone;
