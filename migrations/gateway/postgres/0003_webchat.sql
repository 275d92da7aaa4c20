CREATE TABLE "gateway"."webchat_sites" (
	"account_id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"origins" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."webchat_threads" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"account_id" text collate "C" NOT NULL,
	"visitor" text collate "C" NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."webchat_messages" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"thread_id" text collate "C" NOT NULL,
	"side" text collate "C" NOT NULL,
	"text" text collate "C" NOT NULL,
	"media" jsonb NOT NULL,
	"ref" text collate "C",
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "webchat_threads_visitor" ON "gateway"."webchat_threads" USING btree ("account_id","visitor");
--> statement-breakpoint
CREATE INDEX "webchat_threads_recent" ON "gateway"."webchat_threads" USING btree ("last_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "webchat_messages_order" ON "gateway"."webchat_messages" USING btree ("thread_id","at");
--> statement-breakpoint
CREATE UNIQUE INDEX "webchat_messages_ref" ON "gateway"."webchat_messages" USING btree ("thread_id","ref");
--> statement-breakpoint
CREATE INDEX "webchat_messages_age" ON "gateway"."webchat_messages" USING btree ("at");
