CREATE TABLE "gateway"."media_files" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"account_id" text collate "C",
	"conversation_id" text collate "C",
	"kind" text collate "C" NOT NULL,
	"mime_type" text collate "C" NOT NULL,
	"file_name" text collate "C",
	"bytes" bigint NOT NULL,
	"state" text collate "C" NOT NULL,
	"source" jsonb,
	"tries" bigint NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."media_chunks" (
	"file_id" text collate "C" NOT NULL,
	"part" bigint NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"sealed" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "media_chunks_file_id_part_pk" PRIMARY KEY("file_id","part")
);
--> statement-breakpoint
CREATE INDEX "media_files_wanted" ON "gateway"."media_files" USING btree ("state","due_at");
--> statement-breakpoint
CREATE INDEX "media_files_tenant" ON "gateway"."media_files" USING btree ("tenant_id","created_at");
--> statement-breakpoint
CREATE INDEX "media_files_conversation" ON "gateway"."media_files" USING btree ("conversation_id");
--> statement-breakpoint
CREATE INDEX "media_files_age" ON "gateway"."media_files" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "media_chunks_age" ON "gateway"."media_chunks" USING btree ("created_at");
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_media_chunks"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."file_id"::text), 0) + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."sealed"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."file_id"::text), 0) + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."sealed"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "media_chunks_counted" AFTER INSERT OR DELETE OR UPDATE OF "file_id", "tenant_id", "sealed" ON "gateway"."media_chunks" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_media_chunks"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_media_files"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."id"::text), 0) + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."account_id"::text), 0) + coalesce(octet_length(NEW."conversation_id"::text), 0) + coalesce(octet_length(NEW."kind"::text), 0) + coalesce(octet_length(NEW."mime_type"::text), 0) + coalesce(octet_length(NEW."file_name"::text), 0) + coalesce(octet_length(NEW."state"::text), 0) + coalesce(octet_length(NEW."source"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."id"::text), 0) + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."account_id"::text), 0) + coalesce(octet_length(OLD."conversation_id"::text), 0) + coalesce(octet_length(OLD."kind"::text), 0) + coalesce(octet_length(OLD."mime_type"::text), 0) + coalesce(octet_length(OLD."file_name"::text), 0) + coalesce(octet_length(OLD."state"::text), 0) + coalesce(octet_length(OLD."source"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "media_files_counted" AFTER INSERT OR DELETE OR UPDATE OF "id", "tenant_id", "account_id", "conversation_id", "kind", "mime_type", "file_name", "state", "source" ON "gateway"."media_files" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_media_files"();
--> statement-breakpoint
INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant_id", 'messages', sum(96::bigint + coalesce(octet_length("file_id"::text), 0) + coalesce(octet_length("tenant_id"::text), 0) + coalesce(octet_length("sealed"::text), 0)) FROM "gateway"."media_chunks" WHERE "tenant_id" IS NOT NULL GROUP BY "tenant_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
--> statement-breakpoint
INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant_id", 'messages', sum(96::bigint + coalesce(octet_length("id"::text), 0) + coalesce(octet_length("tenant_id"::text), 0) + coalesce(octet_length("account_id"::text), 0) + coalesce(octet_length("conversation_id"::text), 0) + coalesce(octet_length("kind"::text), 0) + coalesce(octet_length("mime_type"::text), 0) + coalesce(octet_length("file_name"::text), 0) + coalesce(octet_length("state"::text), 0) + coalesce(octet_length("source"::text), 0)) FROM "gateway"."media_files" WHERE "tenant_id" IS NOT NULL GROUP BY "tenant_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
