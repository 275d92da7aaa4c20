CREATE TABLE "translator"."leases" (
	"name" text collate "C" PRIMARY KEY NOT NULL,
	"owner" text collate "C" NOT NULL,
	"term" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "translator"."sealing_keys" (
	"kid" text collate "C" PRIMARY KEY NOT NULL,
	"proof" text collate "C" NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "translator"."write_checks" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "translator"."specs" (
	"kind" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"yaml" text collate "C" NOT NULL,
	"submitted_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "specs_kind_name_pk" PRIMARY KEY("kind","name")
);
--> statement-breakpoint
CREATE TABLE "translator"."applied" (
	"account" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"resource_type" text collate "C" NOT NULL,
	"resource_name" text collate "C" NOT NULL,
	"resource_id" text collate "C" NOT NULL,
	"position" bigint NOT NULL,
	"bindings" jsonb NOT NULL,
	"config" jsonb NOT NULL,
	"applied_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "applied_account_kind_name_resource_type_resource_name_pk" PRIMARY KEY("account","kind","name","resource_type","resource_name")
);
--> statement-breakpoint
CREATE TABLE "translator"."reconciles" (
	"account" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"is_removal" boolean NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reconciles_account_kind_name_pk" PRIMARY KEY("account","kind","name")
);
--> statement-breakpoint
CREATE TABLE "translator"."operations" (
	"account" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"resource_type" text collate "C" NOT NULL,
	"resource_name" text collate "C" NOT NULL,
	"operation" text collate "C" NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operations_account_kind_name_resource_type_resource_name_pk" PRIMARY KEY("account","kind","name","resource_type","resource_name")
);
--> statement-breakpoint
CREATE TABLE "translator"."local_resources" (
	"account" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"spec" text collate "C" NOT NULL,
	"resource_type" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"config" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "local_resources_account_id_pk" PRIMARY KEY("account","id")
);
--> statement-breakpoint
CREATE TABLE "translator"."local_failures" (
	"account" text collate "C" NOT NULL,
	"action" text collate "C" NOT NULL,
	"resource_type" text collate "C" NOT NULL,
	"message" text collate "C" NOT NULL,
	"remaining" bigint NOT NULL,
	CONSTRAINT "local_failures_account_action_resource_type_pk" PRIMARY KEY("account","action","resource_type")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "local_resources_name" ON "translator"."local_resources" USING btree ("account","spec","resource_type","name");
