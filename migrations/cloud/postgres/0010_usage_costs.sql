CREATE TABLE "cloud"."usage_costs" (
	"org_id" text collate "C" NOT NULL,
	"day" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"caller" text collate "C" NOT NULL,
	"provider" text collate "C" NOT NULL,
	"model" text collate "C" NOT NULL,
	"requests" bigint NOT NULL,
	"uses" bigint NOT NULL,
	"tokens" bigint NOT NULL,
	"cost_micros" bigint NOT NULL,
	"unpriced_tokens" bigint NOT NULL,
	CONSTRAINT "usage_costs_org_id_day_agent_caller_provider_model_pk" PRIMARY KEY("org_id","day","agent","caller","provider","model")
);
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "cloud"."count_usage_costs"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."org_id"; ELSE who := NEW."org_id"; delta := 96::bigint + coalesce(octet_length(NEW."org_id"::text), 0) + coalesce(octet_length(NEW."day"::text), 0) + coalesce(octet_length(NEW."agent"::text), 0) + coalesce(octet_length(NEW."caller"::text), 0) + coalesce(octet_length(NEW."provider"::text), 0) + coalesce(octet_length(NEW."model"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."org_id"::text), 0) + coalesce(octet_length(OLD."day"::text), 0) + coalesce(octet_length(OLD."agent"::text), 0) + coalesce(octet_length(OLD."caller"::text), 0) + coalesce(octet_length(OLD."provider"::text), 0) + coalesce(octet_length(OLD."model"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "cloud"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'usage', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "usage_costs_counted" AFTER INSERT OR DELETE OR UPDATE OF "org_id", "day", "agent", "caller", "provider", "model" ON "cloud"."usage_costs" FOR EACH ROW EXECUTE FUNCTION "cloud"."count_usage_costs"();
--> statement-breakpoint
INSERT INTO "cloud"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "org_id", 'usage', sum(96::bigint + coalesce(octet_length("org_id"::text), 0) + coalesce(octet_length("day"::text), 0) + coalesce(octet_length("agent"::text), 0) + coalesce(octet_length("caller"::text), 0) + coalesce(octet_length("provider"::text), 0) + coalesce(octet_length("model"::text), 0)) FROM "cloud"."usage_costs" WHERE "org_id" IS NOT NULL GROUP BY "org_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
