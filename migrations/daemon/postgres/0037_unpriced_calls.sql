ALTER TABLE "daemon"."run_facts" ADD COLUMN "unpriced_calls" bigint DEFAULT 0 NOT NULL;
