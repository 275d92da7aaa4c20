CREATE TABLE "cloud"."open_streams" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"org_id" text collate "C" NOT NULL,
	"owner" text collate "C" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "cloud"."audit" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"org_id" text collate "C",
	"actor" text collate "C" NOT NULL,
	"action" text collate "C" NOT NULL,
	"subject" text collate "C",
	"detail" jsonb NOT NULL,
	"request_id" text collate "C"
);
--> statement-breakpoint
CREATE INDEX "open_streams_org" ON "cloud"."open_streams" USING btree ("org_id","expires_at");
--> statement-breakpoint
CREATE INDEX "open_streams_owner" ON "cloud"."open_streams" USING btree ("owner");
--> statement-breakpoint
CREATE INDEX "audit_org" ON "cloud"."audit" USING btree ("org_id","id");
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "cloud"."refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation'; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "audit_no_update" BEFORE UPDATE ON "cloud"."audit" FOR EACH ROW EXECUTE FUNCTION "cloud"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "audit_no_delete" BEFORE DELETE ON "cloud"."audit" FOR EACH ROW EXECUTE FUNCTION "cloud"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "audit_no_truncate" BEFORE TRUNCATE ON "cloud"."audit" FOR EACH STATEMENT EXECUTE FUNCTION "cloud"."refuse_change"();
