DROP TRIGGER IF EXISTS "traces_counted" ON "daemon"."traces";
--> statement-breakpoint
ALTER TABLE "daemon"."usage_tallies" DROP CONSTRAINT "usage_tallies_tenant_starts_at_agent_provider_model_pk";
--> statement-breakpoint
ALTER TABLE "daemon"."usage_tallies" ADD COLUMN "source" text collate "C" DEFAULT 'production' NOT NULL;
--> statement-breakpoint
ALTER TABLE "daemon"."usage_tallies" ADD CONSTRAINT "usage_tallies_tenant_starts_at_agent_provider_model_source_pk" PRIMARY KEY("tenant","starts_at","agent","provider","model","source");
--> statement-breakpoint
ALTER TABLE "daemon"."traces" ADD COLUMN "source" text collate "C";
--> statement-breakpoint
ALTER TABLE "daemon"."run_facts" ADD COLUMN "source" text collate "C" DEFAULT 'production' NOT NULL;
--> statement-breakpoint
ALTER TABLE "daemon"."usage_records" ADD COLUMN "source" text collate "C" DEFAULT 'production' NOT NULL;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "daemon"."count_traces"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant"; ELSE who := NEW."tenant"; delta := 96::bigint + coalesce(octet_length(NEW."tenant"::text), 0) + coalesce(octet_length(NEW."trace_id"::text), 0) + coalesce(octet_length(NEW."agent"::text), 0) + coalesce(octet_length(NEW."session_id"::text), 0) + coalesce(octet_length(NEW."status"::text), 0) + coalesce(octet_length(NEW."body"::text), 0) + coalesce(octet_length(NEW."model"::text), 0) + coalesce(octet_length(NEW."source"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."tenant"::text), 0) + coalesce(octet_length(OLD."trace_id"::text), 0) + coalesce(octet_length(OLD."agent"::text), 0) + coalesce(octet_length(OLD."session_id"::text), 0) + coalesce(octet_length(OLD."status"::text), 0) + coalesce(octet_length(OLD."body"::text), 0) + coalesce(octet_length(OLD."model"::text), 0) + coalesce(octet_length(OLD."source"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL AND who <> 'operator' THEN INSERT INTO "daemon"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'traces', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "traces_counted" AFTER INSERT OR DELETE OR UPDATE OF "tenant", "trace_id", "agent", "session_id", "status", "body", "model", "source" ON "daemon"."traces" FOR EACH ROW EXECUTE FUNCTION "daemon"."count_traces"();
