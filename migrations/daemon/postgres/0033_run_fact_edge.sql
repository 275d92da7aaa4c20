CREATE TABLE "daemon"."run_fact_edge" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
