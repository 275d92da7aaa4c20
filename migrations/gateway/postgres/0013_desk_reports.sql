CREATE TABLE "gateway"."measured" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"channel" text collate "C" NOT NULL,
	"measure" text collate "C" NOT NULL,
	"value" bigint NOT NULL,
	"person" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."tallies" (
	"tenant_id" text collate "C" NOT NULL,
	"tally" text collate "C" NOT NULL,
	"person" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"channel" text collate "C" NOT NULL,
	"quarter" timestamp (3) with time zone NOT NULL,
	"count" bigint NOT NULL,
	"sum" bigint NOT NULL,
	CONSTRAINT "tallies_tenant_id_tally_person_agent_channel_quarter_pk" PRIMARY KEY("tenant_id","tally","person","agent","channel","quarter")
);
--> statement-breakpoint
CREATE TABLE "gateway"."tallied_until" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "gateway"."conversations" ADD COLUMN "begun_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "gateway"."conversations" ADD COLUMN "answered_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "gateway"."conversations" ADD COLUMN "csat_asked_at" timestamp (3) with time zone;
--> statement-breakpoint
CREATE INDEX "measured_value" ON "gateway"."measured" USING btree ("tenant_id","measure","value","at");
--> statement-breakpoint
CREATE INDEX "measured_age" ON "gateway"."measured" USING btree ("at");
--> statement-breakpoint
CREATE INDEX "tallies_days" ON "gateway"."tallies" USING btree ("tenant_id","quarter","tally","channel","count","sum");
--> statement-breakpoint
CREATE INDEX "tallies_age" ON "gateway"."tallies" USING btree ("quarter");
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_measured"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."id"::text), 0) + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."channel"::text), 0) + coalesce(octet_length(NEW."measure"::text), 0) + coalesce(octet_length(NEW."person"::text), 0) + coalesce(octet_length(NEW."agent"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."id"::text), 0) + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."channel"::text), 0) + coalesce(octet_length(OLD."measure"::text), 0) + coalesce(octet_length(OLD."person"::text), 0) + coalesce(octet_length(OLD."agent"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "measured_counted" AFTER INSERT OR DELETE OR UPDATE OF "id", "tenant_id", "channel", "measure", "person", "agent" ON "gateway"."measured" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_measured"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_tallies"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."tally"::text), 0) + coalesce(octet_length(NEW."person"::text), 0) + coalesce(octet_length(NEW."agent"::text), 0) + coalesce(octet_length(NEW."channel"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."tally"::text), 0) + coalesce(octet_length(OLD."person"::text), 0) + coalesce(octet_length(OLD."agent"::text), 0) + coalesce(octet_length(OLD."channel"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "tallies_counted" AFTER INSERT OR DELETE OR UPDATE OF "tenant_id", "tally", "person", "agent", "channel" ON "gateway"."tallies" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_tallies"();
--> statement-breakpoint
INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant_id", 'messages', sum(96::bigint + coalesce(octet_length("id"::text), 0) + coalesce(octet_length("tenant_id"::text), 0) + coalesce(octet_length("channel"::text), 0) + coalesce(octet_length("measure"::text), 0) + coalesce(octet_length("person"::text), 0) + coalesce(octet_length("agent"::text), 0)) FROM "gateway"."measured" WHERE "tenant_id" IS NOT NULL GROUP BY "tenant_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
--> statement-breakpoint
INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant_id", 'messages', sum(96::bigint + coalesce(octet_length("tenant_id"::text), 0) + coalesce(octet_length("tally"::text), 0) + coalesce(octet_length("person"::text), 0) + coalesce(octet_length("agent"::text), 0) + coalesce(octet_length("channel"::text), 0)) FROM "gateway"."tallies" WHERE "tenant_id" IS NOT NULL GROUP BY "tenant_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
