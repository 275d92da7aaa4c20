CREATE TABLE "console"."leases" (
	"name" text collate "C" PRIMARY KEY NOT NULL,
	"owner" text collate "C" NOT NULL,
	"term" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "console"."sealing_keys" (
	"kid" text collate "C" PRIMARY KEY NOT NULL,
	"proof" text collate "C" NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "console"."begun_work" (
	"kind" text collate "C" NOT NULL,
	"key" text collate "C" NOT NULL,
	"owner" text collate "C",
	"interruptions" bigint NOT NULL,
	"parked_at" timestamp (3) with time zone,
	CONSTRAINT "begun_work_kind_key_pk" PRIMARY KEY("kind","key")
);
--> statement-breakpoint
CREATE TABLE "console"."write_checks" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "console"."sessions" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"key" text collate "C" NOT NULL,
	"sealed" text collate "C" NOT NULL,
	"visitor" boolean NOT NULL,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "sessions_age" ON "console"."sessions" USING btree ("visitor","used_at");
