CREATE TABLE "daemon"."trace_texts" (
	"tenant" text collate "C" NOT NULL,
	"trace_id" text collate "C" NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"text" text collate "C" NOT NULL,
	CONSTRAINT "trace_texts_tenant_trace_id_pk" PRIMARY KEY("tenant","trace_id")
);
--> statement-breakpoint
CREATE TABLE "daemon"."run_facts" (
	"tenant" text collate "C" NOT NULL,
	"trace_id" text collate "C" NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"agent" text collate "C" NOT NULL,
	"model" text collate "C" NOT NULL,
	"outcome" text collate "C" NOT NULL,
	"duration_ms" double precision NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"cost_micros" bigint NOT NULL,
	CONSTRAINT "run_facts_tenant_trace_id_pk" PRIMARY KEY("tenant","trace_id")
);
--> statement-breakpoint
ALTER TABLE "daemon"."traces" ADD COLUMN "cost_micros" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "daemon"."traces" ADD COLUMN "model" text collate "C" DEFAULT '' NOT NULL;
--> statement-breakpoint
CREATE INDEX "trace_texts_age" ON "daemon"."trace_texts" USING btree ("started_at");
--> statement-breakpoint
CREATE INDEX "run_facts_newest" ON "daemon"."run_facts" USING btree ("tenant","started_at");
--> statement-breakpoint
CREATE INDEX "run_facts_age" ON "daemon"."run_facts" USING btree ("started_at");
--> statement-breakpoint
CREATE INDEX "traces_slowest" ON "daemon"."traces" USING btree ("tenant","duration_ms","trace_id");
--> statement-breakpoint
CREATE INDEX "traces_dearest" ON "daemon"."traces" USING btree ("tenant","cost_micros","trace_id");
