DROP TRIGGER IF EXISTS "conversation_messages_counted" ON "gateway"."conversation_messages";
--> statement-breakpoint
DROP TRIGGER IF EXISTS "conversations_counted" ON "gateway"."conversations";
--> statement-breakpoint
CREATE TABLE "gateway"."contacts" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"channel" text collate "C" NOT NULL,
	"name" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."contact_addresses" (
	"tenant_id" text collate "C" NOT NULL,
	"channel" text collate "C" NOT NULL,
	"scope" text collate "C" NOT NULL,
	"value" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"contact_id" text collate "C" NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"left_at" timestamp (3) with time zone,
	CONSTRAINT "contact_addresses_tenant_id_channel_scope_value_pk" PRIMARY KEY("tenant_id","channel","scope","value")
);
--> statement-breakpoint
CREATE TABLE "gateway"."merged_ids" (
	"id" text collate "C" NOT NULL,
	"of" text collate "C" NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"into_id" text collate "C" NOT NULL,
	"session_id" text collate "C",
	CONSTRAINT "merged_ids_of_id_pk" PRIMARY KEY("of","id")
);
--> statement-breakpoint
ALTER TABLE "gateway"."conversations" ADD COLUMN "contact_id" text collate "C";
--> statement-breakpoint
ALTER TABLE "gateway"."conversation_messages" ADD COLUMN "first_text" text collate "C";
--> statement-breakpoint
ALTER TABLE "gateway"."conversation_messages" ADD COLUMN "untold_by" text collate "C";
--> statement-breakpoint
CREATE INDEX "contacts_tenant" ON "gateway"."contacts" USING btree ("tenant_id","id");
--> statement-breakpoint
CREATE INDEX "contact_addresses_contact" ON "gateway"."contact_addresses" USING btree ("contact_id");
--> statement-breakpoint
CREATE INDEX "merged_ids_into" ON "gateway"."merged_ids" USING btree ("into_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "conversations_contact" ON "gateway"."conversations" USING btree ("account_id","contact_id");
--> statement-breakpoint
CREATE INDEX "conversation_messages_untold" ON "gateway"."conversation_messages" USING btree ("conversation_id","at","id") WHERE "gateway"."conversation_messages"."untold_by" is not null;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_contact_addresses"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."channel"::text), 0) + coalesce(octet_length(NEW."scope"::text), 0) + coalesce(octet_length(NEW."value"::text), 0) + coalesce(octet_length(NEW."kind"::text), 0) + coalesce(octet_length(NEW."contact_id"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."channel"::text), 0) + coalesce(octet_length(OLD."scope"::text), 0) + coalesce(octet_length(OLD."value"::text), 0) + coalesce(octet_length(OLD."kind"::text), 0) + coalesce(octet_length(OLD."contact_id"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "contact_addresses_counted" AFTER INSERT OR DELETE OR UPDATE OF "tenant_id", "channel", "scope", "value", "kind", "contact_id" ON "gateway"."contact_addresses" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_contact_addresses"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_contacts"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."id"::text), 0) + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."channel"::text), 0) + coalesce(octet_length(NEW."name"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."id"::text), 0) + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."channel"::text), 0) + coalesce(octet_length(OLD."name"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "contacts_counted" AFTER INSERT OR DELETE OR UPDATE OF "id", "tenant_id", "channel", "name" ON "gateway"."contacts" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_contacts"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_conversation_messages"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."id"::text), 0) + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."conversation_id"::text), 0) + coalesce(octet_length(NEW."channel"::text), 0) + coalesce(octet_length(NEW."direction"::text), 0) + coalesce(octet_length(NEW."kind"::text), 0) + coalesce(octet_length(NEW."text"::text), 0) + coalesce(octet_length(NEW."first_text"::text), 0) + coalesce(octet_length(NEW."untold_by"::text), 0) + coalesce(octet_length(NEW."media"::text), 0) + coalesce(octet_length(NEW."channel_message_id"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."id"::text), 0) + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."conversation_id"::text), 0) + coalesce(octet_length(OLD."channel"::text), 0) + coalesce(octet_length(OLD."direction"::text), 0) + coalesce(octet_length(OLD."kind"::text), 0) + coalesce(octet_length(OLD."text"::text), 0) + coalesce(octet_length(OLD."first_text"::text), 0) + coalesce(octet_length(OLD."untold_by"::text), 0) + coalesce(octet_length(OLD."media"::text), 0) + coalesce(octet_length(OLD."channel_message_id"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "conversation_messages_counted" AFTER INSERT OR DELETE OR UPDATE OF "id", "tenant_id", "conversation_id", "channel", "direction", "kind", "text", "first_text", "untold_by", "media", "channel_message_id" ON "gateway"."conversation_messages" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_conversation_messages"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_conversations"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."id"::text), 0) + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."channel"::text), 0) + coalesce(octet_length(NEW."account_id"::text), 0) + coalesce(octet_length(NEW."external_user"::text), 0) + coalesce(octet_length(NEW."contact_id"::text), 0) + coalesce(octet_length(NEW."session_id"::text), 0) + coalesce(octet_length(NEW."recipient"::text), 0) + coalesce(octet_length(NEW."agent_name"::text), 0) + coalesce(octet_length(NEW."handoff_agent"::text), 0) + coalesce(octet_length(NEW."contact_name"::text), 0) + coalesce(octet_length(NEW."mode"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."id"::text), 0) + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."channel"::text), 0) + coalesce(octet_length(OLD."account_id"::text), 0) + coalesce(octet_length(OLD."external_user"::text), 0) + coalesce(octet_length(OLD."contact_id"::text), 0) + coalesce(octet_length(OLD."session_id"::text), 0) + coalesce(octet_length(OLD."recipient"::text), 0) + coalesce(octet_length(OLD."agent_name"::text), 0) + coalesce(octet_length(OLD."handoff_agent"::text), 0) + coalesce(octet_length(OLD."contact_name"::text), 0) + coalesce(octet_length(OLD."mode"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "conversations_counted" AFTER INSERT OR DELETE OR UPDATE OF "id", "tenant_id", "channel", "account_id", "external_user", "contact_id", "session_id", "recipient", "agent_name", "handoff_agent", "contact_name", "mode" ON "gateway"."conversations" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_conversations"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_merged_ids"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."id"::text), 0) + coalesce(octet_length(NEW."of"::text), 0) + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."into_id"::text), 0) + coalesce(octet_length(NEW."session_id"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."id"::text), 0) + coalesce(octet_length(OLD."of"::text), 0) + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."into_id"::text), 0) + coalesce(octet_length(OLD."session_id"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "merged_ids_counted" AFTER INSERT OR DELETE OR UPDATE OF "id", "of", "tenant_id", "into_id", "session_id" ON "gateway"."merged_ids" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_merged_ids"();
--> statement-breakpoint
INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant_id", 'messages', sum(96::bigint + coalesce(octet_length("tenant_id"::text), 0) + coalesce(octet_length("channel"::text), 0) + coalesce(octet_length("scope"::text), 0) + coalesce(octet_length("value"::text), 0) + coalesce(octet_length("kind"::text), 0) + coalesce(octet_length("contact_id"::text), 0)) FROM "gateway"."contact_addresses" WHERE "tenant_id" IS NOT NULL GROUP BY "tenant_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
--> statement-breakpoint
INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant_id", 'messages', sum(96::bigint + coalesce(octet_length("id"::text), 0) + coalesce(octet_length("tenant_id"::text), 0) + coalesce(octet_length("channel"::text), 0) + coalesce(octet_length("name"::text), 0)) FROM "gateway"."contacts" WHERE "tenant_id" IS NOT NULL GROUP BY "tenant_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
--> statement-breakpoint
INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant_id", 'messages', sum(96::bigint + coalesce(octet_length("id"::text), 0) + coalesce(octet_length("of"::text), 0) + coalesce(octet_length("tenant_id"::text), 0) + coalesce(octet_length("into_id"::text), 0) + coalesce(octet_length("session_id"::text), 0)) FROM "gateway"."merged_ids" WHERE "tenant_id" IS NOT NULL GROUP BY "tenant_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
--> statement-breakpoint
-- Each conversation so far is with a contact of its own; those of one person on several accounts share it.
INSERT INTO "gateway"."contacts" ("id", "tenant_id", "channel", "name", "created_at") SELECT min("id"), "tenant_id", "channel", max("contact_name"), min("created_at") FROM "gateway"."conversations" GROUP BY "tenant_id", "channel", CASE WHEN "channel" IN ('phone_messenger', 'bot_messenger') THEN '' ELSE "account_id" END, "external_user";
--> statement-breakpoint
INSERT INTO "gateway"."contact_addresses" ("tenant_id", "channel", "scope", "value", "kind", "contact_id", "seen_at") SELECT "tenant_id", "channel", CASE WHEN "channel" IN ('phone_messenger', 'bot_messenger') THEN '' ELSE "account_id" END, "external_user", min(CASE WHEN "channel" = 'bot_messenger' THEN 'chat' WHEN "channel" = 'photo_social' THEN 'scoped' WHEN "channel" <> 'phone_messenger' THEN 'visitor' WHEN lower("external_user") = upper("external_user") THEN 'phone' ELSE 'bsuid' END), min("id"), max("last_message_at") FROM "gateway"."conversations" GROUP BY "tenant_id", "channel", CASE WHEN "channel" IN ('phone_messenger', 'bot_messenger') THEN '' ELSE "account_id" END, "external_user";
--> statement-breakpoint
UPDATE "gateway"."conversations" SET "contact_id" = (SELECT a."contact_id" FROM "gateway"."contact_addresses" AS a WHERE a."tenant_id" = "gateway"."conversations"."tenant_id" AND a."channel" = "gateway"."conversations"."channel" AND a."scope" = CASE WHEN "gateway"."conversations"."channel" IN ('phone_messenger', 'bot_messenger') THEN '' ELSE "gateway"."conversations"."account_id" END AND a."value" = "gateway"."conversations"."external_user");
