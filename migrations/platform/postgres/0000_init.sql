CREATE TABLE "platform"."leases" (
	"name" text collate "C" PRIMARY KEY NOT NULL,
	"owner" text collate "C" NOT NULL,
	"term" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."sealing_keys" (
	"kid" text collate "C" PRIMARY KEY NOT NULL,
	"proof" text collate "C" NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."write_checks" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."users" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"email" text collate "C" NOT NULL,
	"display_name" text collate "C" NOT NULL,
	"password_hash" text collate "C" NOT NULL,
	"role" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."sessions" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "platform"."refresh_tokens" (
	"hash" text collate "C" PRIMARY KEY NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"issued_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"rotated_at" timestamp (3) with time zone,
	"successor" text collate "C"
);
--> statement-breakpoint
CREATE TABLE "platform"."invitations" (
	"email" text collate "C" PRIMARY KEY NOT NULL,
	"invited_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."failed_sign_ins" (
	"subject" text collate "C" NOT NULL,
	"window_start" timestamp (3) with time zone NOT NULL,
	"failures" bigint NOT NULL,
	CONSTRAINT "failed_sign_ins_subject_window_start_pk" PRIMARY KEY("subject","window_start")
);
--> statement-breakpoint
CREATE TABLE "platform"."tenants" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"user_id" text collate "C" NOT NULL,
	"cr_name" text collate "C" NOT NULL,
	"display_name" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "platform"."api_keys" (
	"hash" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"label" text collate "C" NOT NULL,
	"created_by" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "platform"."agents" (
	"tenant_id" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"subscription_id" text collate "C",
	"current_version" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"forgotten_at" timestamp (3) with time zone,
	CONSTRAINT "agents_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "platform"."agent_versions" (
	"tenant_id" text collate "C" NOT NULL,
	"agent_id" text collate "C" NOT NULL,
	"number" bigint NOT NULL,
	"spec" jsonb NOT NULL,
	"checksum" text collate "C" NOT NULL,
	"author" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "agent_versions_tenant_id_agent_id_number_pk" PRIMARY KEY("tenant_id","agent_id","number")
);
--> statement-breakpoint
CREATE TABLE "platform"."invocations" (
	"tenant_id" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"agent_id" text collate "C" NOT NULL,
	"agent_name" text collate "C" NOT NULL,
	"agent_version" bigint NOT NULL,
	"subscription_id" text collate "C",
	"status" text collate "C" NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"error_code" text collate "C",
	"message" text collate "C",
	"count" bigint NOT NULL,
	"admitted_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"month" text collate "C" NOT NULL,
	"plan_id" text collate "C",
	"held_micros" bigint NOT NULL,
	"held_tokens" bigint NOT NULL,
	"charged_micros" bigint NOT NULL,
	"overrun_micros" bigint NOT NULL,
	"provider_cost_micros" bigint NOT NULL,
	"infra_cost_micros" bigint NOT NULL,
	"pricing_status" text collate "C",
	"usage_estimated" boolean NOT NULL,
	"tokens_in" bigint NOT NULL,
	"tokens_out" bigint NOT NULL,
	"by_model" jsonb NOT NULL,
	"owner" text collate "C",
	"held_until" timestamp (3) with time zone,
	"trace_id" text collate "C",
	CONSTRAINT "invocations_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "platform"."idempotency_keys" (
	"key" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"agent_id" text collate "C" NOT NULL,
	"body_hash" text collate "C" NOT NULL,
	"invocation_id" text collate "C" NOT NULL,
	"status" bigint,
	"answer" text collate "C",
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."credit_counters" (
	"tenant_id" text collate "C" NOT NULL,
	"scope" text collate "C" NOT NULL,
	"month" text collate "C" NOT NULL,
	"charged_micros" bigint NOT NULL,
	"held_micros" bigint NOT NULL,
	"cancelled_cost_micros" bigint NOT NULL,
	CONSTRAINT "credit_counters_tenant_id_scope_month_pk" PRIMARY KEY("tenant_id","scope","month")
);
--> statement-breakpoint
CREATE TABLE "platform"."rate_windows" (
	"tenant_id" text collate "C" NOT NULL,
	"scope" text collate "C" NOT NULL,
	"minute" timestamp (3) with time zone NOT NULL,
	"attempts" bigint NOT NULL,
	CONSTRAINT "rate_windows_tenant_id_scope_minute_pk" PRIMARY KEY("tenant_id","scope","minute")
);
--> statement-breakpoint
CREATE TABLE "platform"."run_tokens" (
	"hash" text collate "C" PRIMARY KEY NOT NULL,
	"tenant_id" text collate "C" NOT NULL,
	"invocation_id" text collate "C" NOT NULL,
	"reach" jsonb NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."approvals" (
	"tenant_id" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"invocation_id" text collate "C" NOT NULL,
	"agent_name" text collate "C" NOT NULL,
	"session_id" text collate "C" NOT NULL,
	"asked" text collate "C" NOT NULL,
	"reach" jsonb NOT NULL,
	"status" text collate "C" NOT NULL,
	"comment" text collate "C",
	"decided_by" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone,
	CONSTRAINT "approvals_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "platform"."connections" (
	"tenant_id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"base_url" text collate "C",
	"material" text collate "C" NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "connections_tenant_id_name_pk" PRIMARY KEY("tenant_id","name")
);
--> statement-breakpoint
CREATE TABLE "platform"."tariffs" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"provider" text collate "C" NOT NULL,
	"model" text collate "C" NOT NULL,
	"effective_from" timestamp (3) with time zone NOT NULL,
	"credits_per_1k_in_micros" bigint NOT NULL,
	"credits_per_1k_out_micros" bigint NOT NULL,
	"credits_per_1k_cached_in_micros" bigint,
	"provider_cost_per_1k_in_micros" bigint,
	"provider_cost_per_1k_out_micros" bigint,
	"infra_cost_per_second_micros" bigint,
	"own" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."plans" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"name" text collate "C" NOT NULL,
	"argo_code" text collate "C",
	"max_concurrency" bigint,
	"max_rpm" bigint,
	"credit_cap_period_micros" bigint,
	"max_tokens_per_call" bigint,
	"max_run_tokens" bigint,
	"max_iterations" bigint,
	"max_active_agents" bigint,
	"min_fee_micros" bigint NOT NULL,
	"activation_price_micros" bigint NOT NULL,
	"included_credits_micros" bigint NOT NULL,
	"extra_credit_price_micros" bigint NOT NULL,
	"spec" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "platform"."tenant_plans" (
	"tenant_id" text collate "C" NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"plan_id" text collate "C" NOT NULL,
	CONSTRAINT "tenant_plans_tenant_id_since_pk" PRIMARY KEY("tenant_id","since")
);
--> statement-breakpoint
CREATE TABLE "platform"."subscriptions" (
	"tenant_id" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"argo_code" text collate "C" NOT NULL,
	"desde" text collate "C" NOT NULL,
	"last_day" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	"cancelled_at" timestamp (3) with time zone,
	CONSTRAINT "subscriptions_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "platform"."subscription_plans" (
	"tenant_id" text collate "C" NOT NULL,
	"subscription_id" text collate "C" NOT NULL,
	"from_month" text collate "C" NOT NULL,
	"plan_id" text collate "C" NOT NULL,
	CONSTRAINT "subscription_plans_tenant_id_subscription_id_from_month_pk" PRIMARY KEY("tenant_id","subscription_id","from_month")
);
--> statement-breakpoint
CREATE TABLE "platform"."usage_events" (
	"tenant_id" text collate "C" NOT NULL,
	"subscription_id" text collate "C" NOT NULL,
	"event_id" text collate "C" NOT NULL,
	"unidad" text collate "C" NOT NULL,
	"cantidad" bigint NOT NULL,
	"ocurrido_en" timestamp (3) with time zone NOT NULL,
	"month" text collate "C" NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "usage_events_tenant_id_subscription_id_event_id_pk" PRIMARY KEY("tenant_id","subscription_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "platform"."usage_counters" (
	"tenant_id" text collate "C" NOT NULL,
	"subscription_id" text collate "C" NOT NULL,
	"month" text collate "C" NOT NULL,
	"unidad" text collate "C" NOT NULL,
	"cantidad" bigint NOT NULL,
	CONSTRAINT "usage_counters_tenant_id_subscription_id_month_unidad_pk" PRIMARY KEY("tenant_id","subscription_id","month","unidad")
);
--> statement-breakpoint
CREATE TABLE "platform"."billing_periods" (
	"tenant_id" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"scope" text collate "C" NOT NULL,
	"month" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"closed_at" timestamp (3) with time zone,
	"facturado_at" timestamp (3) with time zone,
	CONSTRAINT "billing_periods_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "platform"."charges" (
	"tenant_id" text collate "C" NOT NULL,
	"period_id" text collate "C" NOT NULL,
	"line" bigint NOT NULL,
	"type" text collate "C" NOT NULL,
	"description" text collate "C" NOT NULL,
	"quantity" bigint NOT NULL,
	"unit_price_micros" bigint NOT NULL,
	"amount_micros" bigint NOT NULL,
	"subscription_id" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "charges_tenant_id_period_id_line_pk" PRIMARY KEY("tenant_id","period_id","line")
);
--> statement-breakpoint
CREATE TABLE "platform"."audit" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor" text collate "C" NOT NULL,
	"action" text collate "C" NOT NULL,
	"tenant_id" text collate "C",
	"subject" text collate "C",
	"detail" jsonb NOT NULL,
	"request_id" text collate "C"
);
--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "platform"."users" USING btree ("email");
--> statement-breakpoint
CREATE INDEX "sessions_user" ON "platform"."sessions" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "refresh_tokens_session" ON "platform"."refresh_tokens" USING btree ("session_id");
--> statement-breakpoint
CREATE INDEX "refresh_tokens_age" ON "platform"."refresh_tokens" USING btree ("expires_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "tenants_cr_name" ON "platform"."tenants" USING btree ("cr_name");
--> statement-breakpoint
CREATE INDEX "tenants_user" ON "platform"."tenants" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "api_keys_tenant" ON "platform"."api_keys" USING btree ("tenant_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "agents_live_name" ON "platform"."agents" USING btree ("tenant_id","name") WHERE "platform"."agents"."deleted_at" is null;
--> statement-breakpoint
CREATE INDEX "agents_subscription" ON "platform"."agents" USING btree ("tenant_id","subscription_id");
--> statement-breakpoint
CREATE INDEX "agents_all" ON "platform"."agents" USING btree ("id");
--> statement-breakpoint
CREATE INDEX "agents_to_forget" ON "platform"."agents" USING btree ("deleted_at") WHERE "platform"."agents"."deleted_at" is not null and "platform"."agents"."forgotten_at" is null;
--> statement-breakpoint
CREATE INDEX "invocations_agent" ON "platform"."invocations" USING btree ("tenant_id","agent_id","id");
--> statement-breakpoint
CREATE INDEX "invocations_month" ON "platform"."invocations" USING btree ("month","id");
--> statement-breakpoint
CREATE INDEX "invocations_all" ON "platform"."invocations" USING btree ("id");
--> statement-breakpoint
CREATE INDEX "invocations_open" ON "platform"."invocations" USING btree ("tenant_id","status") WHERE "platform"."invocations"."status" = 'in_progress';
--> statement-breakpoint
CREATE INDEX "invocations_due" ON "platform"."invocations" USING btree ("held_until") WHERE "platform"."invocations"."status" = 'in_progress';
--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "platform"."idempotency_keys" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "idempotency_keys_tenant" ON "platform"."idempotency_keys" USING btree ("tenant_id");
--> statement-breakpoint
CREATE INDEX "rate_windows_age" ON "platform"."rate_windows" USING btree ("minute");
--> statement-breakpoint
CREATE UNIQUE INDEX "run_tokens_run" ON "platform"."run_tokens" USING btree ("tenant_id","invocation_id");
--> statement-breakpoint
CREATE INDEX "run_tokens_age" ON "platform"."run_tokens" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "approvals_pending" ON "platform"."approvals" USING btree ("expires_at") WHERE "platform"."approvals"."status" = 'pending';
--> statement-breakpoint
CREATE UNIQUE INDEX "tariffs_instant" ON "platform"."tariffs" USING btree ("provider","model","effective_from");
--> statement-breakpoint
CREATE INDEX "tenant_plans_plan" ON "platform"."tenant_plans" USING btree ("plan_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_id" ON "platform"."subscriptions" USING btree ("id");
--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_active" ON "platform"."subscriptions" USING btree ("tenant_id","argo_code") WHERE "platform"."subscriptions"."cancelled_at" is null;
--> statement-breakpoint
CREATE INDEX "usage_events_month" ON "platform"."usage_events" USING btree ("tenant_id","subscription_id","month");
--> statement-breakpoint
CREATE UNIQUE INDEX "billing_periods_id" ON "platform"."billing_periods" USING btree ("id");
--> statement-breakpoint
CREATE UNIQUE INDEX "billing_periods_month" ON "platform"."billing_periods" USING btree ("tenant_id","scope","month");
--> statement-breakpoint
CREATE INDEX "billing_periods_status" ON "platform"."billing_periods" USING btree ("status","month");
--> statement-breakpoint
CREATE INDEX "audit_tenant" ON "platform"."audit" USING btree ("tenant_id","id");
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "platform"."refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation'; END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "agent_versions_no_update" BEFORE UPDATE ON "platform"."agent_versions" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "agent_versions_no_delete" BEFORE DELETE ON "platform"."agent_versions" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "agent_versions_no_truncate" BEFORE TRUNCATE ON "platform"."agent_versions" FOR EACH STATEMENT EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "audit_no_update" BEFORE UPDATE ON "platform"."audit" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "audit_no_delete" BEFORE DELETE ON "platform"."audit" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "audit_no_truncate" BEFORE TRUNCATE ON "platform"."audit" FOR EACH STATEMENT EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "charges_no_update" BEFORE UPDATE ON "platform"."charges" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "charges_no_delete" BEFORE DELETE ON "platform"."charges" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "charges_no_truncate" BEFORE TRUNCATE ON "platform"."charges" FOR EACH STATEMENT EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "plans_no_update" BEFORE UPDATE ON "platform"."plans" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "plans_no_delete" BEFORE DELETE ON "platform"."plans" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "plans_no_truncate" BEFORE TRUNCATE ON "platform"."plans" FOR EACH STATEMENT EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "tariffs_no_update" BEFORE UPDATE ON "platform"."tariffs" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "tariffs_no_delete" BEFORE DELETE ON "platform"."tariffs" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "tariffs_no_truncate" BEFORE TRUNCATE ON "platform"."tariffs" FOR EACH STATEMENT EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "usage_events_no_update" BEFORE UPDATE ON "platform"."usage_events" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "usage_events_no_delete" BEFORE DELETE ON "platform"."usage_events" FOR EACH ROW EXECUTE FUNCTION "platform"."refuse_change"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "usage_events_no_truncate" BEFORE TRUNCATE ON "platform"."usage_events" FOR EACH STATEMENT EXECUTE FUNCTION "platform"."refuse_change"();
