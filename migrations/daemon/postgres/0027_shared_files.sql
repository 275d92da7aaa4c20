CREATE TABLE "daemon"."shared_files" (
	"tenant" text collate "C" NOT NULL,
	"path" text collate "C" NOT NULL,
	"content" text collate "C" NOT NULL,
	"digest" text collate "C" NOT NULL,
	"is_deleted" boolean NOT NULL,
	"revision" bigint NOT NULL,
	"node" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "shared_files_tenant_path_pk" PRIMARY KEY("tenant","path")
);
--> statement-breakpoint
CREATE INDEX "shared_files_revision" ON "daemon"."shared_files" USING btree ("tenant","revision");
