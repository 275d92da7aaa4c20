CREATE TABLE "platform"."adjustments" (
	"tenant_id" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"month" text collate "C" NOT NULL,
	"amount_micros" bigint NOT NULL,
	"reason" text collate "C" NOT NULL,
	"reference" text collate "C",
	"created_by" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "adjustments_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "platform"."voided_events" (
	"tenant_id" text collate "C" NOT NULL,
	"subscription_id" text collate "C" NOT NULL,
	"event_id" text collate "C" NOT NULL,
	"reason" text collate "C" NOT NULL,
	"created_by" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "voided_events_tenant_id_subscription_id_event_id_pk" PRIMARY KEY("tenant_id","subscription_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "platform"."grants" (
	"tenant_id" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"credits_micros" bigint NOT NULL,
	"reason" text collate "C" NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"price_micros" bigint,
	"month" text collate "C" NOT NULL,
	"created_by" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "grants_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "platform"."grant_accounts" (
	"tenant_id" text collate "C" PRIMARY KEY NOT NULL,
	"held_micros" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."grant_uses" (
	"tenant_id" text collate "C" NOT NULL,
	"grant_id" text collate "C" NOT NULL,
	"month" text collate "C" NOT NULL,
	"used_micros" bigint NOT NULL,
	CONSTRAINT "grant_uses_tenant_id_grant_id_month_pk" PRIMARY KEY("tenant_id","grant_id","month")
);
--> statement-breakpoint
CREATE TABLE "platform"."plan_credits" (
	"tenant_id" text collate "C" NOT NULL,
	"month" text collate "C" NOT NULL,
	"scope" text collate "C" NOT NULL,
	"plan_id" text collate "C" NOT NULL,
	"charged_micros" bigint NOT NULL,
	"granted_micros" bigint NOT NULL,
	"extra_micros" bigint NOT NULL,
	CONSTRAINT "plan_credits_tenant_id_month_scope_plan_id_pk" PRIMARY KEY("tenant_id","month","scope","plan_id")
);
--> statement-breakpoint
CREATE TABLE "platform"."invoice_settings" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"settings" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."invoice_customers" (
	"tenant_id" text collate "C" PRIMARY KEY NOT NULL,
	"details" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."invoice_ranges" (
	"range" text collate "C" PRIMARY KEY NOT NULL,
	"last_number" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."invoices" (
	"tenant_id" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"range" text collate "C" NOT NULL,
	"number" bigint NOT NULL,
	"month" text collate "C" NOT NULL,
	"issued_on" text collate "C" NOT NULL,
	"due_on" text collate "C" NOT NULL,
	"subtotal_micros" bigint NOT NULL,
	"net_micros" bigint NOT NULL,
	"tax_micros" bigint NOT NULL,
	"total_micros" bigint NOT NULL,
	"invoice_id" text collate "C",
	"content" jsonb NOT NULL,
	"created_by" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invoices_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "platform"."invoice_states" (
	"tenant_id" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"month" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"paid_on" text collate "C",
	"changed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invoice_states_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
ALTER TABLE "platform"."invocations" ADD COLUMN "held_grant_micros" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "platform"."credit_counters" ADD COLUMN "granted_micros" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "platform"."credit_counters" ADD COLUMN "held_grant_micros" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE INDEX "adjustments_month" ON "platform"."adjustments" USING btree ("tenant_id","month");
--> statement-breakpoint
CREATE INDEX "grants_month" ON "platform"."grants" USING btree ("tenant_id","month");
--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_id" ON "platform"."invoices" USING btree ("id");
--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_number" ON "platform"."invoices" USING btree ("range","number");
--> statement-breakpoint
CREATE INDEX "invoices_month" ON "platform"."invoices" USING btree ("month","id");
--> statement-breakpoint
CREATE INDEX "invoices_credits" ON "platform"."invoices" USING btree ("tenant_id","invoice_id") WHERE "platform"."invoices"."invoice_id" is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "invoice_states_month" ON "platform"."invoice_states" USING btree ("tenant_id","month") WHERE "platform"."invoice_states"."kind" = 'invoice' and "platform"."invoice_states"."status" <> 'void';
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "platform"."refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation'; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "adjustments_no_update" BEFORE UPDATE ON "platform"."adjustments" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "adjustments_no_delete" BEFORE DELETE ON "platform"."adjustments" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "adjustments_no_truncate" BEFORE TRUNCATE ON "platform"."adjustments" FOR EACH STATEMENT EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_no_update" BEFORE UPDATE ON "platform"."grants" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_no_delete" BEFORE DELETE ON "platform"."grants" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "grants_no_truncate" BEFORE TRUNCATE ON "platform"."grants" FOR EACH STATEMENT EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "invoices_no_update" BEFORE UPDATE ON "platform"."invoices" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "invoices_no_delete" BEFORE DELETE ON "platform"."invoices" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "invoices_no_truncate" BEFORE TRUNCATE ON "platform"."invoices" FOR EACH STATEMENT EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "voided_events_no_update" BEFORE UPDATE ON "platform"."voided_events" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "voided_events_no_delete" BEFORE DELETE ON "platform"."voided_events" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "voided_events_no_truncate" BEFORE TRUNCATE ON "platform"."voided_events" FOR EACH STATEMENT EXECUTE FUNCTION "platform"."refuse_change"();
