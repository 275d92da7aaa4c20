CREATE TABLE "daemon"."channel_messages" (
	"tenant" text collate "C" NOT NULL,
	"channel" text collate "C" NOT NULL,
	"account" text collate "C" NOT NULL,
	"message_id" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"sender" text collate "C" NOT NULL,
	"sender_kind" text collate "C" NOT NULL,
	"contact_name" text collate "C",
	"request" text collate "C" NOT NULL,
	"text" text collate "C" NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"state" text collate "C" NOT NULL,
	CONSTRAINT "channel_messages_tenant_channel_account_message_id_pk" PRIMARY KEY("tenant","channel","account","message_id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "channel_messages_id" ON "daemon"."channel_messages" USING btree ("id");
--> statement-breakpoint
CREATE INDEX "channel_messages_open" ON "daemon"."channel_messages" USING btree ("tenant","channel","account","state","id");
--> statement-breakpoint
CREATE INDEX "channel_messages_age" ON "daemon"."channel_messages" USING btree ("received_at");
