CREATE TABLE "daemon"."run_steps" (
	"tenant" text collate "C" NOT NULL,
	"run_id" text collate "C" NOT NULL,
	"number" bigint NOT NULL,
	"fingerprint" text collate "C" NOT NULL,
	"steps" text collate "C" NOT NULL,
	"written_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "run_steps_tenant_run_id_number_pk" PRIMARY KEY("tenant","run_id","number")
);
--> statement-breakpoint
CREATE INDEX "run_steps_age" ON "daemon"."run_steps" USING btree ("written_at");
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "daemon"."count_run_steps"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant"; ELSE who := NEW."tenant"; delta := 96::bigint + coalesce(octet_length(NEW."tenant"::text), 0) + coalesce(octet_length(NEW."run_id"::text), 0) + coalesce(octet_length(NEW."fingerprint"::text), 0) + coalesce(octet_length(NEW."steps"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."tenant"::text), 0) + coalesce(octet_length(OLD."run_id"::text), 0) + coalesce(octet_length(OLD."fingerprint"::text), 0) + coalesce(octet_length(OLD."steps"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL AND who <> 'operator' THEN INSERT INTO "daemon"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'paused_runs', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "run_steps_counted" AFTER INSERT OR DELETE OR UPDATE OF "tenant", "run_id", "fingerprint", "steps" ON "daemon"."run_steps" FOR EACH ROW EXECUTE FUNCTION "daemon"."count_run_steps"();
--> statement-breakpoint
INSERT INTO "daemon"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant", 'paused_runs', sum(96::bigint + coalesce(octet_length("tenant"::text), 0) + coalesce(octet_length("run_id"::text), 0) + coalesce(octet_length("fingerprint"::text), 0) + coalesce(octet_length("steps"::text), 0)) FROM "daemon"."run_steps" WHERE "tenant" IS NOT NULL AND "tenant" <> 'operator' GROUP BY "tenant" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
