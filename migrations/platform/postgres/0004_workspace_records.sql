CREATE TABLE "platform"."workspaces" (
	"tenant_id" text collate "C" PRIMARY KEY NOT NULL,
	"revision" bigint NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."workspace_resources" (
	"tenant_id" text collate "C" NOT NULL,
	"resource_type" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"applied" jsonb NOT NULL,
	"applied_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "workspace_resources_tenant_id_resource_type_name_pk" PRIMARY KEY("tenant_id","resource_type","name")
);
