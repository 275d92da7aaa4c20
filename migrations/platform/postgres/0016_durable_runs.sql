ALTER TABLE "platform"."run_tokens" ADD COLUMN "request" text collate "C";
