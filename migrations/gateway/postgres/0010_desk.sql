CREATE TABLE "gateway"."desk" (
	"conversation_id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"assignee" text collate "C",
	"labels" jsonb NOT NULL,
	"state" text collate "C" NOT NULL,
	"snoozed_until" timestamp (3) with time zone,
	"needs_reason" text collate "C",
	"needs_since" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "gateway"."desk_entries" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"conversation_id" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"by_person" text collate "C",
	"text" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."desk_seen" (
	"conversation_id" text collate "C" NOT NULL,
	"person" text collate "C" NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "desk_seen_conversation_id_person_pk" PRIMARY KEY("conversation_id","person")
);
--> statement-breakpoint
CREATE TABLE "gateway"."message_authors" (
	"message_id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"author" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."canned_replies" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"text" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."message_words" (
	"word" text collate "C" NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"conversation_id" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "message_words_word_tenant_id_conversation_id_pk" PRIMARY KEY("word","tenant_id","conversation_id")
);
--> statement-breakpoint
CREATE INDEX "desk_assignee" ON "gateway"."desk" USING btree ("assignee");
--> statement-breakpoint
CREATE INDEX "desk_needs" ON "gateway"."desk" USING btree ("needs_since");
--> statement-breakpoint
CREATE INDEX "desk_entries_conversation" ON "gateway"."desk_entries" USING btree ("conversation_id","at","id");
--> statement-breakpoint
CREATE INDEX "desk_entries_age" ON "gateway"."desk_entries" USING btree ("at");
--> statement-breakpoint
CREATE INDEX "desk_seen_age" ON "gateway"."desk_seen" USING btree ("seen_at");
--> statement-breakpoint
CREATE INDEX "message_authors_age" ON "gateway"."message_authors" USING btree ("at");
--> statement-breakpoint
CREATE UNIQUE INDEX "canned_replies_name" ON "gateway"."canned_replies" USING btree ("tenant_id","name");
--> statement-breakpoint
CREATE INDEX "message_words_conversation" ON "gateway"."message_words" USING btree ("conversation_id");
--> statement-breakpoint
CREATE INDEX "message_words_age" ON "gateway"."message_words" USING btree ("at");
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_canned_replies"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."id"::text), 0) + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."name"::text), 0) + coalesce(octet_length(NEW."text"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."id"::text), 0) + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."name"::text), 0) + coalesce(octet_length(OLD."text"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "canned_replies_counted" AFTER INSERT OR DELETE OR UPDATE OF "id", "tenant_id", "name", "text" ON "gateway"."canned_replies" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_canned_replies"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_desk"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."conversation_id"::text), 0) + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."assignee"::text), 0) + coalesce(octet_length(NEW."labels"::text), 0) + coalesce(octet_length(NEW."state"::text), 0) + coalesce(octet_length(NEW."needs_reason"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."conversation_id"::text), 0) + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."assignee"::text), 0) + coalesce(octet_length(OLD."labels"::text), 0) + coalesce(octet_length(OLD."state"::text), 0) + coalesce(octet_length(OLD."needs_reason"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "desk_counted" AFTER INSERT OR DELETE OR UPDATE OF "conversation_id", "tenant_id", "assignee", "labels", "state", "needs_reason" ON "gateway"."desk" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_desk"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_desk_entries"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."id"::text), 0) + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."conversation_id"::text), 0) + coalesce(octet_length(NEW."kind"::text), 0) + coalesce(octet_length(NEW."by_person"::text), 0) + coalesce(octet_length(NEW."text"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."id"::text), 0) + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."conversation_id"::text), 0) + coalesce(octet_length(OLD."kind"::text), 0) + coalesce(octet_length(OLD."by_person"::text), 0) + coalesce(octet_length(OLD."text"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "desk_entries_counted" AFTER INSERT OR DELETE OR UPDATE OF "id", "tenant_id", "conversation_id", "kind", "by_person", "text" ON "gateway"."desk_entries" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_desk_entries"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_desk_seen"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."conversation_id"::text), 0) + coalesce(octet_length(NEW."person"::text), 0) + coalesce(octet_length(NEW."tenant_id"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."conversation_id"::text), 0) + coalesce(octet_length(OLD."person"::text), 0) + coalesce(octet_length(OLD."tenant_id"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "desk_seen_counted" AFTER INSERT OR DELETE OR UPDATE OF "conversation_id", "person", "tenant_id" ON "gateway"."desk_seen" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_desk_seen"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_message_authors"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."message_id"::text), 0) + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."author"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."message_id"::text), 0) + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."author"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "message_authors_counted" AFTER INSERT OR DELETE OR UPDATE OF "message_id", "tenant_id", "author" ON "gateway"."message_authors" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_message_authors"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_message_words"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."word"::text), 0) + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."conversation_id"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."word"::text), 0) + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."conversation_id"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "message_words_counted" AFTER INSERT OR DELETE OR UPDATE OF "word", "tenant_id", "conversation_id" ON "gateway"."message_words" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_message_words"();
--> statement-breakpoint
INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant_id", 'messages', sum(96::bigint + coalesce(octet_length("id"::text), 0) + coalesce(octet_length("tenant_id"::text), 0) + coalesce(octet_length("name"::text), 0) + coalesce(octet_length("text"::text), 0)) FROM "gateway"."canned_replies" WHERE "tenant_id" IS NOT NULL GROUP BY "tenant_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
--> statement-breakpoint
INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant_id", 'messages', sum(96::bigint + coalesce(octet_length("conversation_id"::text), 0) + coalesce(octet_length("tenant_id"::text), 0) + coalesce(octet_length("assignee"::text), 0) + coalesce(octet_length("labels"::text), 0) + coalesce(octet_length("state"::text), 0) + coalesce(octet_length("needs_reason"::text), 0)) FROM "gateway"."desk" WHERE "tenant_id" IS NOT NULL GROUP BY "tenant_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
--> statement-breakpoint
INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant_id", 'messages', sum(96::bigint + coalesce(octet_length("id"::text), 0) + coalesce(octet_length("tenant_id"::text), 0) + coalesce(octet_length("conversation_id"::text), 0) + coalesce(octet_length("kind"::text), 0) + coalesce(octet_length("by_person"::text), 0) + coalesce(octet_length("text"::text), 0)) FROM "gateway"."desk_entries" WHERE "tenant_id" IS NOT NULL GROUP BY "tenant_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
--> statement-breakpoint
INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant_id", 'messages', sum(96::bigint + coalesce(octet_length("conversation_id"::text), 0) + coalesce(octet_length("person"::text), 0) + coalesce(octet_length("tenant_id"::text), 0)) FROM "gateway"."desk_seen" WHERE "tenant_id" IS NOT NULL GROUP BY "tenant_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
--> statement-breakpoint
INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant_id", 'messages', sum(96::bigint + coalesce(octet_length("message_id"::text), 0) + coalesce(octet_length("tenant_id"::text), 0) + coalesce(octet_length("author"::text), 0)) FROM "gateway"."message_authors" WHERE "tenant_id" IS NOT NULL GROUP BY "tenant_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
--> statement-breakpoint
INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant_id", 'messages', sum(96::bigint + coalesce(octet_length("word"::text), 0) + coalesce(octet_length("tenant_id"::text), 0) + coalesce(octet_length("conversation_id"::text), 0)) FROM "gateway"."message_words" WHERE "tenant_id" IS NOT NULL GROUP BY "tenant_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
