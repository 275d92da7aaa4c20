CREATE TABLE "platform"."tenant_members" (
	"tenant_id" text collate "C" NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"role" text collate "C" NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "tenant_members_tenant_id_user_id_pk" PRIMARY KEY("tenant_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "platform"."tenant_invitations" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"email" text collate "C" NOT NULL,
	"role" text collate "C" NOT NULL,
	"token_hash" text collate "C" NOT NULL,
	"invited_by" text collate "C" NOT NULL,
	"invited_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "tenant_members_user" ON "platform"."tenant_members" USING btree ("user_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "tenant_invitations_token" ON "platform"."tenant_invitations" USING btree ("token_hash");
--> statement-breakpoint
CREATE UNIQUE INDEX "tenant_invitations_email" ON "platform"."tenant_invitations" USING btree ("tenant_id","email");
--> statement-breakpoint
INSERT INTO "platform"."tenant_members" ("tenant_id", "user_id", "role", "joined_at") SELECT "id", "user_id", 'owner', "created_at" FROM "platform"."tenants";
