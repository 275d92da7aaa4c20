CREATE TABLE "gateway"."forgettings" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"addresses" jsonb NOT NULL,
	"account_ids" jsonb NOT NULL,
	"conversation_ids" jsonb NOT NULL,
	"tries" bigint NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."forgotten_sessions" (
	"tenant_id" text collate "C" NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"forgetting_id" text collate "C" NOT NULL,
	"account_id" text collate "C" NOT NULL,
	CONSTRAINT "forgotten_sessions_tenant_id_session_id_pk" PRIMARY KEY("tenant_id","session_id")
);
--> statement-breakpoint
CREATE INDEX "forgettings_due" ON "gateway"."forgettings" USING btree ("due_at");
--> statement-breakpoint
CREATE INDEX "forgotten_sessions_of" ON "gateway"."forgotten_sessions" USING btree ("forgetting_id");
--> statement-breakpoint
CREATE INDEX "outbox_conversation" ON "gateway"."outbox" USING btree ("conversation_id") WHERE "gateway"."outbox"."conversation_id" is not null;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_forgettings"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."id"::text), 0) + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."addresses"::text), 0) + coalesce(octet_length(NEW."account_ids"::text), 0) + coalesce(octet_length(NEW."conversation_ids"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."id"::text), 0) + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."addresses"::text), 0) + coalesce(octet_length(OLD."account_ids"::text), 0) + coalesce(octet_length(OLD."conversation_ids"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "forgettings_counted" AFTER INSERT OR DELETE OR UPDATE OF "id", "tenant_id", "addresses", "account_ids", "conversation_ids" ON "gateway"."forgettings" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_forgettings"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_forgotten_sessions"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."session_id"::text), 0) + coalesce(octet_length(NEW."forgetting_id"::text), 0) + coalesce(octet_length(NEW."account_id"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."session_id"::text), 0) + coalesce(octet_length(OLD."forgetting_id"::text), 0) + coalesce(octet_length(OLD."account_id"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "forgotten_sessions_counted" AFTER INSERT OR DELETE OR UPDATE OF "tenant_id", "session_id", "forgetting_id", "account_id" ON "gateway"."forgotten_sessions" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_forgotten_sessions"();
--> statement-breakpoint
INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant_id", 'messages', sum(96::bigint + coalesce(octet_length("id"::text), 0) + coalesce(octet_length("tenant_id"::text), 0) + coalesce(octet_length("addresses"::text), 0) + coalesce(octet_length("account_ids"::text), 0) + coalesce(octet_length("conversation_ids"::text), 0)) FROM "gateway"."forgettings" WHERE "tenant_id" IS NOT NULL GROUP BY "tenant_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
--> statement-breakpoint
INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant_id", 'messages', sum(96::bigint + coalesce(octet_length("tenant_id"::text), 0) + coalesce(octet_length("session_id"::text), 0) + coalesce(octet_length("forgetting_id"::text), 0) + coalesce(octet_length("account_id"::text), 0)) FROM "gateway"."forgotten_sessions" WHERE "tenant_id" IS NOT NULL GROUP BY "tenant_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
