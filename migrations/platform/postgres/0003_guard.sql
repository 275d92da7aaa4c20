CREATE TABLE "platform"."known_addresses" (
	"pair" text collate "C" PRIMARY KEY NOT NULL,
	"used_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "platform"."agents" ADD COLUMN "links" jsonb;
--> statement-breakpoint
CREATE INDEX "known_addresses_age" ON "platform"."known_addresses" USING btree ("used_at");
--> statement-breakpoint
CREATE INDEX "invocations_version" ON "platform"."invocations" USING btree ("tenant_id","agent_id","agent_version");
--> statement-breakpoint
DROP TRIGGER IF EXISTS "agent_versions_no_delete" ON "platform"."agent_versions";
