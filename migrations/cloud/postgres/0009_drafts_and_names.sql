DROP TRIGGER IF EXISTS "agents_counted" ON "cloud"."agents";
--> statement-breakpoint
CREATE TABLE "cloud"."former_names" (
	"org_id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"agent_id" text collate "C" NOT NULL,
	"renamed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "former_names_org_id_name_pk" PRIMARY KEY("org_id","name")
);
--> statement-breakpoint
ALTER TABLE "cloud"."agents" ADD COLUMN "draft" jsonb;
--> statement-breakpoint
CREATE INDEX "former_names_agent" ON "cloud"."former_names" USING btree ("org_id","agent_id");
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "cloud"."count_agents"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."org_id"; ELSE who := NEW."org_id"; delta := 96::bigint + coalesce(octet_length(NEW."id"::text), 0) + coalesce(octet_length(NEW."org_id"::text), 0) + coalesce(octet_length(NEW."name"::text), 0) + coalesce(octet_length(NEW."display_name"::text), 0) + coalesce(octet_length(NEW."config"::text), 0) + coalesce(octet_length(NEW."status"::text), 0) + coalesce(octet_length(NEW."spec"::text), 0) + coalesce(octet_length(NEW."checksum"::text), 0) + coalesce(octet_length(NEW."released_checksum"::text), 0) + coalesce(octet_length(NEW."requires"::text), 0) + coalesce(octet_length(NEW."draft"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."id"::text), 0) + coalesce(octet_length(OLD."org_id"::text), 0) + coalesce(octet_length(OLD."name"::text), 0) + coalesce(octet_length(OLD."display_name"::text), 0) + coalesce(octet_length(OLD."config"::text), 0) + coalesce(octet_length(OLD."status"::text), 0) + coalesce(octet_length(OLD."spec"::text), 0) + coalesce(octet_length(OLD."checksum"::text), 0) + coalesce(octet_length(OLD."released_checksum"::text), 0) + coalesce(octet_length(OLD."requires"::text), 0) + coalesce(octet_length(OLD."draft"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "cloud"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'agents', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "agents_counted" AFTER INSERT OR DELETE OR UPDATE OF "id", "org_id", "name", "display_name", "config", "status", "spec", "checksum", "released_checksum", "requires", "draft" ON "cloud"."agents" FOR EACH ROW EXECUTE FUNCTION "cloud"."count_agents"();
