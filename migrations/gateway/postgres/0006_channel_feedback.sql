CREATE TABLE "gateway"."reactions" (
	"tenant_id" text collate "C" NOT NULL,
	"account_id" text collate "C" NOT NULL,
	"message_id" text collate "C" NOT NULL,
	"channel_message_id" text collate "C" NOT NULL,
	"address" text collate "C" NOT NULL,
	"emoji" text collate "C",
	"rating" text collate "C",
	"invocation_id" text collate "C",
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reactions_tenant_id_message_id_channel_message_id_address_pk" PRIMARY KEY("tenant_id","message_id","channel_message_id","address")
);
--> statement-breakpoint
ALTER TABLE "gateway"."outbox" ADD COLUMN "invocation_id" text collate "C";
--> statement-breakpoint
CREATE INDEX "reactions_run" ON "gateway"."reactions" USING btree ("tenant_id","invocation_id");
--> statement-breakpoint
CREATE INDEX "reactions_age" ON "gateway"."reactions" USING btree ("at");
