CREATE TABLE "daemon"."sessions" (
	"tenant" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"life" text collate "C" NOT NULL,
	"last_seq" bigint NOT NULL,
	"turns" bigint NOT NULL,
	"tokens" bigint NOT NULL,
	"first_at" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"summary" text collate "C",
	"summary_tokens" bigint,
	"summary_up_to" bigint NOT NULL,
	"summary_at" timestamp (3) with time zone,
	"claimed_until" timestamp (3) with time zone,
	CONSTRAINT "sessions_tenant_agent_session_id_pk" PRIMARY KEY("tenant","agent","session_id")
);
--> statement-breakpoint
CREATE TABLE "daemon"."memory_places" (
	"tenant" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"place" text collate "C" NOT NULL,
	"address" text collate "C",
	"forget_up_to" timestamp (3) with time zone,
	CONSTRAINT "memory_places_tenant_agent_place_pk" PRIMARY KEY("tenant","agent","place")
);
--> statement-breakpoint
CREATE TABLE "daemon"."memory_writes" (
	"tenant" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"user_name" text collate "C" NOT NULL,
	"origin" text collate "C" NOT NULL,
	"texts" jsonb NOT NULL,
	"forgotten" boolean NOT NULL,
	"attempts" bigint NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "memory_writes_tenant_id_pk" PRIMARY KEY("tenant","id")
);
--> statement-breakpoint
CREATE TABLE "daemon"."memory_collections" (
	"tenant" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"store" text collate "C" NOT NULL,
	"embedder" text collate "C" NOT NULL,
	"dimension" bigint NOT NULL,
	CONSTRAINT "memory_collections_tenant_agent_pk" PRIMARY KEY("tenant","agent")
);
--> statement-breakpoint
CREATE TABLE "daemon"."episodes" (
	"tenant" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"user_name" text collate "C" NOT NULL,
	"event_type" text collate "C" NOT NULL,
	"summary" text collate "C" NOT NULL,
	"context" jsonb NOT NULL,
	"outcome" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"importance" double precision NOT NULL,
	CONSTRAINT "episodes_tenant_agent_id_pk" PRIMARY KEY("tenant","agent","id")
);
--> statement-breakpoint
CREATE TABLE "daemon"."ml_models" (
	"tenant" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"version" text collate "C" NOT NULL,
	"path" text collate "C" NOT NULL,
	"task" text collate "C",
	"metadata" jsonb NOT NULL,
	"inputs" jsonb NOT NULL,
	"outputs" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "ml_models_tenant_name_version_pk" PRIMARY KEY("tenant","name","version")
);
--> statement-breakpoint
CREATE TABLE "daemon"."rag_collections" (
	"tenant" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"vectors" text collate "C" NOT NULL,
	"backend" text collate "C" NOT NULL,
	"store_id" text collate "C" NOT NULL,
	"embedder_id" text collate "C" NOT NULL,
	"dimension" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"next_vectors" text collate "C",
	"owner" text collate "C",
	"held_until" timestamp (3) with time zone,
	CONSTRAINT "rag_collections_tenant_name_pk" PRIMARY KEY("tenant","name")
);
--> statement-breakpoint
CREATE TABLE "daemon"."rag_documents" (
	"tenant" text collate "C" NOT NULL,
	"collection" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"write" text collate "C" NOT NULL,
	"shares_write" boolean NOT NULL,
	"content_hash" text collate "C" NOT NULL,
	"chunking" text collate "C" NOT NULL,
	"chunks" bigint NOT NULL,
	"characters" bigint NOT NULL,
	"metadata" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "rag_documents_tenant_collection_id_pk" PRIMARY KEY("tenant","collection","id")
);
--> statement-breakpoint
CREATE TABLE "daemon"."rag_writes" (
	"tenant" text collate "C" NOT NULL,
	"collection" text collate "C" NOT NULL,
	"write" text collate "C" NOT NULL,
	"document_id" text collate "C" NOT NULL,
	"state" text collate "C" NOT NULL,
	"chunks" bigint NOT NULL,
	"owner" text collate "C",
	"held_until" timestamp (3) with time zone,
	CONSTRAINT "rag_writes_tenant_collection_write_document_id_pk" PRIMARY KEY("tenant","collection","write","document_id")
);
--> statement-breakpoint
CREATE TABLE "daemon"."rag_dropped" (
	"vectors" text collate "C" PRIMARY KEY NOT NULL,
	"tenant" text collate "C" NOT NULL,
	"store_id" text collate "C" NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "daemon"."rag_jobs" (
	"tenant" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"collection" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"documents_done" bigint NOT NULL,
	"documents_total" bigint NOT NULL,
	"chunks" bigint NOT NULL,
	"failed" jsonb NOT NULL,
	"error_code" text collate "C",
	"error_message" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"owner" text collate "C" NOT NULL,
	"held_until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "rag_jobs_tenant_id_pk" PRIMARY KEY("tenant","id")
);
--> statement-breakpoint
ALTER TABLE "daemon"."channel_messages" ADD COLUMN "awaits" text collate "C";
--> statement-breakpoint
ALTER TABLE "daemon"."approvals" ADD COLUMN "kind" text collate "C" DEFAULT 'approval' NOT NULL;
--> statement-breakpoint
CREATE INDEX "sessions_by_last_at" ON "daemon"."sessions" USING btree ("tenant","agent","last_at","session_id");
--> statement-breakpoint
CREATE INDEX "memory_writes_due" ON "daemon"."memory_writes" USING btree ("due_at","id");
--> statement-breakpoint
CREATE INDEX "memory_writes_agent" ON "daemon"."memory_writes" USING btree ("tenant","agent");
--> statement-breakpoint
CREATE INDEX "episodes_by_time" ON "daemon"."episodes" USING btree ("tenant","agent","at","id");
--> statement-breakpoint
CREATE INDEX "episodes_by_importance" ON "daemon"."episodes" USING btree ("tenant","agent","importance","at");
--> statement-breakpoint
CREATE INDEX "ml_models_newest" ON "daemon"."ml_models" USING btree ("tenant","created_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "rag_collections_id" ON "daemon"."rag_collections" USING btree ("tenant","id");
--> statement-breakpoint
CREATE INDEX "rag_documents_write" ON "daemon"."rag_documents" USING btree ("tenant","collection","write");
--> statement-breakpoint
CREATE INDEX "rag_writes_state" ON "daemon"."rag_writes" USING btree ("state");
--> statement-breakpoint
CREATE INDEX "rag_jobs_age" ON "daemon"."rag_jobs" USING btree ("tenant","created_at");
--> statement-breakpoint
CREATE INDEX "rag_jobs_status" ON "daemon"."rag_jobs" USING btree ("status");
