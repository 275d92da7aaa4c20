CREATE TABLE "gateway"."outbox_sums" (
	"tenant_id" text collate "C" NOT NULL,
	"day" bigint NOT NULL,
	"channel" text collate "C" NOT NULL,
	"source" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"delivery_status" text collate "C" NOT NULL,
	"part" bigint DEFAULT 0 NOT NULL,
	"messages" bigint NOT NULL,
	CONSTRAINT "outbox_sums_tenant_id_day_channel_source_status_delivery_status_part_pk" PRIMARY KEY("tenant_id","day","channel","source","status","delivery_status","part")
);
--> statement-breakpoint
CREATE TABLE "gateway"."message_sums" (
	"tenant_id" text collate "C" NOT NULL,
	"day" bigint NOT NULL,
	"channel" text collate "C" NOT NULL,
	"direction" text collate "C" NOT NULL,
	"part" bigint DEFAULT 0 NOT NULL,
	"messages" bigint NOT NULL,
	CONSTRAINT "message_sums_tenant_id_day_channel_direction_part_pk" PRIMARY KEY("tenant_id","day","channel","direction","part")
);
--> statement-breakpoint
CREATE INDEX "outbox_sums_day" ON "gateway"."outbox_sums" USING btree ("day");
--> statement-breakpoint
CREATE INDEX "message_sums_day" ON "gateway"."message_sums" USING btree ("day");
--> statement-breakpoint
CREATE INDEX "outbox_unsent" ON "gateway"."outbox" USING btree ("status","id") WHERE "gateway"."outbox"."status" <> 'sent';
--> statement-breakpoint
CREATE INDEX "outbox_undelivered" ON "gateway"."outbox" USING btree ("tenant_id","id") WHERE "gateway"."outbox"."delivery_status" = 'failed';
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."tally_message_sums"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF TG_OP = 'UPDATE' THEN IF (OLD."tenant_id", OLD."at", OLD."channel", OLD."direction") IS NOT DISTINCT FROM (NEW."tenant_id", NEW."at", NEW."channel", NEW."direction") THEN RETURN NULL; END IF; END IF; IF TG_OP <> 'INSERT' THEN INSERT INTO "gateway"."message_sums" AS "kept" ("tenant_id", "day", "channel", "direction", "part", "messages") SELECT coalesce(OLD."tenant_id", ''), floor(extract(epoch from OLD."at") / 86400)::integer, coalesce(OLD."channel", ''), coalesce(OLD."direction", ''), pg_backend_pid(), -(1) WHERE true ON CONFLICT ("tenant_id", "day", "channel", "direction", "part") DO UPDATE SET "messages" = "kept"."messages" + excluded."messages"; END IF; IF TG_OP <> 'DELETE' THEN INSERT INTO "gateway"."message_sums" AS "kept" ("tenant_id", "day", "channel", "direction", "part", "messages") SELECT coalesce(NEW."tenant_id", ''), floor(extract(epoch from NEW."at") / 86400)::integer, coalesce(NEW."channel", ''), coalesce(NEW."direction", ''), pg_backend_pid(), (1) WHERE true ON CONFLICT ("tenant_id", "day", "channel", "direction", "part") DO UPDATE SET "messages" = "kept"."messages" + excluded."messages"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "message_sums_tally" AFTER INSERT OR DELETE OR UPDATE OF "tenant_id", "at", "channel", "direction" ON "gateway"."conversation_messages" FOR EACH ROW EXECUTE FUNCTION "gateway"."tally_message_sums"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."tally_outbox_sums"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF TG_OP = 'UPDATE' THEN IF (OLD."tenant_id", OLD."created_at", OLD."channel", OLD."source", OLD."status", OLD."delivery_status") IS NOT DISTINCT FROM (NEW."tenant_id", NEW."created_at", NEW."channel", NEW."source", NEW."status", NEW."delivery_status") THEN RETURN NULL; END IF; END IF; IF TG_OP <> 'INSERT' THEN INSERT INTO "gateway"."outbox_sums" AS "kept" ("tenant_id", "day", "channel", "source", "status", "delivery_status", "part", "messages") SELECT coalesce(OLD."tenant_id", ''), floor(extract(epoch from OLD."created_at") / 86400)::integer, coalesce(OLD."channel", ''), coalesce(OLD."source", ''), coalesce(OLD."status", ''), coalesce(OLD."delivery_status", ''), pg_backend_pid(), -(1) WHERE true ON CONFLICT ("tenant_id", "day", "channel", "source", "status", "delivery_status", "part") DO UPDATE SET "messages" = "kept"."messages" + excluded."messages"; END IF; IF TG_OP <> 'DELETE' THEN INSERT INTO "gateway"."outbox_sums" AS "kept" ("tenant_id", "day", "channel", "source", "status", "delivery_status", "part", "messages") SELECT coalesce(NEW."tenant_id", ''), floor(extract(epoch from NEW."created_at") / 86400)::integer, coalesce(NEW."channel", ''), coalesce(NEW."source", ''), coalesce(NEW."status", ''), coalesce(NEW."delivery_status", ''), pg_backend_pid(), (1) WHERE true ON CONFLICT ("tenant_id", "day", "channel", "source", "status", "delivery_status", "part") DO UPDATE SET "messages" = "kept"."messages" + excluded."messages"; END IF; RETURN NULL; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "outbox_sums_tally" AFTER INSERT OR DELETE OR UPDATE OF "tenant_id", "created_at", "channel", "source", "status", "delivery_status" ON "gateway"."outbox" FOR EACH ROW EXECUTE FUNCTION "gateway"."tally_outbox_sums"();
--> statement-breakpoint
INSERT INTO "gateway"."message_sums" AS "kept" ("tenant_id", "day", "channel", "direction", "part", "messages") SELECT coalesce("tenant_id", ''), floor(extract(epoch from "at") / 86400)::integer, coalesce("channel", ''), coalesce("direction", ''), 0, sum(1) FROM "gateway"."conversation_messages" WHERE true GROUP BY coalesce("tenant_id", ''), floor(extract(epoch from "at") / 86400)::integer, coalesce("channel", ''), coalesce("direction", '') ON CONFLICT ("tenant_id", "day", "channel", "direction", "part") DO UPDATE SET "messages" = "kept"."messages" + excluded."messages";
--> statement-breakpoint
INSERT INTO "gateway"."outbox_sums" AS "kept" ("tenant_id", "day", "channel", "source", "status", "delivery_status", "part", "messages") SELECT coalesce("tenant_id", ''), floor(extract(epoch from "created_at") / 86400)::integer, coalesce("channel", ''), coalesce("source", ''), coalesce("status", ''), coalesce("delivery_status", ''), 0, sum(1) FROM "gateway"."outbox" WHERE true GROUP BY coalesce("tenant_id", ''), floor(extract(epoch from "created_at") / 86400)::integer, coalesce("channel", ''), coalesce("source", ''), coalesce("status", ''), coalesce("delivery_status", '') ON CONFLICT ("tenant_id", "day", "channel", "source", "status", "delivery_status", "part") DO UPDATE SET "messages" = "kept"."messages" + excluded."messages";
