CREATE TABLE "daemon"."begun_work" (
	"kind" text collate "C" NOT NULL,
	"key" text collate "C" NOT NULL,
	"owner" text collate "C",
	"interruptions" bigint NOT NULL,
	"parked_at" timestamp (3) with time zone,
	CONSTRAINT "begun_work_kind_key_pk" PRIMARY KEY("kind","key")
);
