CREATE TABLE "daemon"."agent_manifests" (
	"tenant" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"number" bigint NOT NULL,
	"origin" text collate "C" NOT NULL,
	"manifest" text collate "C" NOT NULL,
	"bytes" bigint NOT NULL,
	"checksum" text collate "C" NOT NULL,
	"masked" boolean NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "agent_manifests_tenant_agent_number_pk" PRIMARY KEY("tenant","agent","number")
);
