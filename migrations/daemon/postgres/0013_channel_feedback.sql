CREATE TABLE "daemon"."channel_feedback" (
	"tenant" text collate "C" NOT NULL,
	"trace_id" text collate "C" NOT NULL,
	"rating" text collate "C" NOT NULL,
	"channel" text collate "C" NOT NULL,
	"emoji" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "channel_feedback_tenant_trace_id_pk" PRIMARY KEY("tenant","trace_id")
);
--> statement-breakpoint
CREATE TABLE "daemon"."channel_answers" (
	"tenant" text collate "C" NOT NULL,
	"channel" text collate "C" NOT NULL,
	"account" text collate "C" NOT NULL,
	"message_id" text collate "C" NOT NULL,
	"trace_id" text collate "C" NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL,
	"emoji" text collate "C",
	"rating" text collate "C",
	"reacted_at" timestamp (3) with time zone,
	CONSTRAINT "channel_answers_tenant_channel_account_message_id_pk" PRIMARY KEY("tenant","channel","account","message_id")
);
--> statement-breakpoint
CREATE INDEX "channel_feedback_age" ON "daemon"."channel_feedback" USING btree ("started_at");
--> statement-breakpoint
CREATE INDEX "channel_answers_run" ON "daemon"."channel_answers" USING btree ("tenant","trace_id");
--> statement-breakpoint
CREATE INDEX "channel_answers_age" ON "daemon"."channel_answers" USING btree ("sent_at");
