CREATE TABLE "daemon"."budgets" (
	"tenant" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"budget_micros" bigint NOT NULL,
	"spent_micros" bigint NOT NULL,
	"unpriced_calls" bigint NOT NULL,
	CONSTRAINT "budgets_tenant_agent_pk" PRIMARY KEY("tenant","agent")
);
--> statement-breakpoint
CREATE TABLE "daemon"."budget_holds" (
	"tenant" text collate "C" NOT NULL,
	"agent" text collate "C" NOT NULL,
	"owner" text collate "C" NOT NULL,
	"held_micros" bigint NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "budget_holds_tenant_agent_owner_pk" PRIMARY KEY("tenant","agent","owner")
);
--> statement-breakpoint
CREATE INDEX "budget_holds_age" ON "daemon"."budget_holds" USING btree ("seen_at");
