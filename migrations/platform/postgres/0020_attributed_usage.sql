DROP TRIGGER IF EXISTS "invocations_counted" ON "platform"."invocations";
--> statement-breakpoint
CREATE TABLE "platform"."attributed_usage" (
	"tenant_id" text collate "C" NOT NULL,
	"month" text collate "C" NOT NULL,
	"caller" text collate "C" NOT NULL,
	"provider" text collate "C" NOT NULL,
	"model" text collate "C" NOT NULL,
	"invocations" bigint NOT NULL,
	"uses" bigint NOT NULL,
	"tokens_in" bigint NOT NULL,
	"tokens_out" bigint NOT NULL,
	"tokens_cached" bigint NOT NULL,
	"charged_micros" bigint NOT NULL,
	"provider_cost_micros" bigint NOT NULL,
	"unknown_costs" bigint NOT NULL,
	"unknown_uses" bigint NOT NULL,
	CONSTRAINT "attributed_usage_tenant_id_month_caller_provider_model_pk" PRIMARY KEY("tenant_id","month","caller","provider","model")
);
--> statement-breakpoint
ALTER TABLE "platform"."invocations" ADD COLUMN "caller" text collate "C";
--> statement-breakpoint
ALTER TABLE "platform"."invocations" ADD COLUMN "attributed" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
CREATE INDEX "attributed_usage_month" ON "platform"."attributed_usage" USING btree ("month","tenant_id","caller","provider","model");
--> statement-breakpoint
CREATE INDEX "invocations_unattributed" ON "platform"."invocations" USING btree ("id") WHERE not "platform"."invocations"."attributed";
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "platform"."count_invocations"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."id"::text), 0) + coalesce(octet_length(NEW."agent_id"::text), 0) + coalesce(octet_length(NEW."agent_name"::text), 0) + coalesce(octet_length(NEW."subscription_id"::text), 0) + coalesce(octet_length(NEW."status"::text), 0) + coalesce(octet_length(NEW."session_id"::text), 0) + coalesce(octet_length(NEW."error_code"::text), 0) + coalesce(octet_length(NEW."message"::text), 0) + coalesce(octet_length(NEW."month"::text), 0) + coalesce(octet_length(NEW."plan_id"::text), 0) + coalesce(octet_length(NEW."pricing_status"::text), 0) + coalesce(octet_length(NEW."by_model"::text), 0) + coalesce(octet_length(NEW."engine_costs"::text), 0) + coalesce(octet_length(NEW."owner"::text), 0) + coalesce(octet_length(NEW."trace_id"::text), 0) + coalesce(octet_length(NEW."caller"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."id"::text), 0) + coalesce(octet_length(OLD."agent_id"::text), 0) + coalesce(octet_length(OLD."agent_name"::text), 0) + coalesce(octet_length(OLD."subscription_id"::text), 0) + coalesce(octet_length(OLD."status"::text), 0) + coalesce(octet_length(OLD."session_id"::text), 0) + coalesce(octet_length(OLD."error_code"::text), 0) + coalesce(octet_length(OLD."message"::text), 0) + coalesce(octet_length(OLD."month"::text), 0) + coalesce(octet_length(OLD."plan_id"::text), 0) + coalesce(octet_length(OLD."pricing_status"::text), 0) + coalesce(octet_length(OLD."by_model"::text), 0) + coalesce(octet_length(OLD."engine_costs"::text), 0) + coalesce(octet_length(OLD."owner"::text), 0) + coalesce(octet_length(OLD."trace_id"::text), 0) + coalesce(octet_length(OLD."caller"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "platform"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'runs', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "invocations_counted" AFTER INSERT OR DELETE OR UPDATE OF "tenant_id", "id", "agent_id", "agent_name", "subscription_id", "status", "session_id", "error_code", "message", "month", "plan_id", "pricing_status", "by_model", "engine_costs", "owner", "trace_id", "caller" ON "platform"."invocations" FOR EACH ROW EXECUTE FUNCTION "platform"."count_invocations"();
