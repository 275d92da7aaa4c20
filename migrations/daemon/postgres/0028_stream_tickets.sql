CREATE TABLE "daemon"."stream_tickets" (
	"hash" text collate "C" PRIMARY KEY NOT NULL,
	"owner" text collate "C" NOT NULL,
	"sealed" text collate "C" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "stream_tickets_owner" ON "daemon"."stream_tickets" USING btree ("owner","expires_at");
--> statement-breakpoint
CREATE INDEX "stream_tickets_age" ON "daemon"."stream_tickets" USING btree ("expires_at");
