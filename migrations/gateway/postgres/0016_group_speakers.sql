CREATE TABLE "gateway"."group_speakers" (
	"message_id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"account_id" text collate "C" NOT NULL,
	"conversation_id" text collate "C" NOT NULL,
	"address" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "group_speakers_address" ON "gateway"."group_speakers" USING btree ("tenant_id","address");
--> statement-breakpoint
CREATE INDEX "group_speakers_conversation" ON "gateway"."group_speakers" USING btree ("conversation_id");
--> statement-breakpoint
CREATE INDEX "group_speakers_age" ON "gateway"."group_speakers" USING btree ("at");
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."count_group_speakers"() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE who text; delta bigint := 0; BEGIN IF TG_OP = 'DELETE' THEN who := OLD."tenant_id"; ELSE who := NEW."tenant_id"; delta := 96::bigint + coalesce(octet_length(NEW."message_id"::text), 0) + coalesce(octet_length(NEW."tenant_id"::text), 0) + coalesce(octet_length(NEW."account_id"::text), 0) + coalesce(octet_length(NEW."conversation_id"::text), 0) + coalesce(octet_length(NEW."address"::text), 0); END IF; IF TG_OP <> 'INSERT' THEN delta := delta - (96::bigint + coalesce(octet_length(OLD."message_id"::text), 0) + coalesce(octet_length(OLD."tenant_id"::text), 0) + coalesce(octet_length(OLD."account_id"::text), 0) + coalesce(octet_length(OLD."conversation_id"::text), 0) + coalesce(octet_length(OLD."address"::text), 0)); END IF; IF delta <> 0 AND who IS NOT NULL THEN INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "part", "bytes") VALUES (who, 'messages', pg_backend_pid(), delta) ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "group_speakers_counted" AFTER INSERT OR DELETE OR UPDATE OF "message_id", "tenant_id", "account_id", "conversation_id", "address" ON "gateway"."group_speakers" FOR EACH ROW EXECUTE FUNCTION "gateway"."count_group_speakers"();
--> statement-breakpoint
INSERT INTO "gateway"."stored_bytes" AS "kept" ("owner_id", "area", "bytes") SELECT "tenant_id", 'messages', sum(96::bigint + coalesce(octet_length("message_id"::text), 0) + coalesce(octet_length("tenant_id"::text), 0) + coalesce(octet_length("account_id"::text), 0) + coalesce(octet_length("conversation_id"::text), 0) + coalesce(octet_length("address"::text), 0)) FROM "gateway"."group_speakers" WHERE "tenant_id" IS NOT NULL GROUP BY "tenant_id" ON CONFLICT ("owner_id", "area", "part") DO UPDATE SET "bytes" = "kept"."bytes" + excluded."bytes";
