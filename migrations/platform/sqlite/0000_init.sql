CREATE TABLE `leases` (
	`name` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`term` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sealing_keys` (
	`kid` text PRIMARY KEY NOT NULL,
	`proof` text NOT NULL,
	`added_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `write_checks` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`display_name` text NOT NULL,
	`password_hash` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);
--> statement-breakpoint
CREATE TABLE `refresh_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`issued_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`rotated_at` integer,
	`successor` text
);
--> statement-breakpoint
CREATE INDEX `refresh_tokens_session` ON `refresh_tokens` (`session_id`);
--> statement-breakpoint
CREATE INDEX `refresh_tokens_age` ON `refresh_tokens` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `invitations` (
	`email` text PRIMARY KEY NOT NULL,
	`invited_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `failed_sign_ins` (
	`subject` text NOT NULL,
	`window_start` integer NOT NULL,
	`failures` integer NOT NULL,
	PRIMARY KEY(`subject`, `window_start`)
);
--> statement-breakpoint
CREATE TABLE `tenants` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`cr_name` text NOT NULL,
	`display_name` text NOT NULL,
	`created_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tenants_cr_name` ON `tenants` (`cr_name`);
--> statement-breakpoint
CREATE INDEX `tenants_user` ON `tenants` (`user_id`);
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`hash` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`label` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE INDEX `api_keys_tenant` ON `api_keys` (`tenant_id`);
--> statement-breakpoint
CREATE TABLE `agents` (
	`tenant_id` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`subscription_id` text,
	`current_version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	`forgotten_at` integer,
	PRIMARY KEY(`tenant_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agents_live_name` ON `agents` (`tenant_id`,`name`) WHERE "agents"."deleted_at" is null;
--> statement-breakpoint
CREATE INDEX `agents_subscription` ON `agents` (`tenant_id`,`subscription_id`);
--> statement-breakpoint
CREATE INDEX `agents_all` ON `agents` (`id`);
--> statement-breakpoint
CREATE INDEX `agents_to_forget` ON `agents` (`deleted_at`) WHERE "agents"."deleted_at" is not null and "agents"."forgotten_at" is null;
--> statement-breakpoint
CREATE TABLE `agent_versions` (
	`tenant_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`number` integer NOT NULL,
	`spec` text NOT NULL,
	`checksum` text NOT NULL,
	`author` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `agent_id`, `number`)
);
--> statement-breakpoint
CREATE TABLE `invocations` (
	`tenant_id` text NOT NULL,
	`id` text NOT NULL,
	`agent_id` text NOT NULL,
	`agent_name` text NOT NULL,
	`agent_version` integer NOT NULL,
	`subscription_id` text,
	`status` text NOT NULL,
	`session_id` text NOT NULL,
	`error_code` text,
	`message` text,
	`count` integer NOT NULL,
	`admitted_at` integer NOT NULL,
	`ended_at` integer,
	`month` text NOT NULL,
	`plan_id` text,
	`held_micros` integer NOT NULL,
	`held_tokens` integer NOT NULL,
	`charged_micros` integer NOT NULL,
	`overrun_micros` integer NOT NULL,
	`provider_cost_micros` integer NOT NULL,
	`infra_cost_micros` integer NOT NULL,
	`pricing_status` text,
	`usage_estimated` integer NOT NULL,
	`tokens_in` integer NOT NULL,
	`tokens_out` integer NOT NULL,
	`by_model` text NOT NULL,
	`owner` text,
	`held_until` integer,
	`trace_id` text,
	PRIMARY KEY(`tenant_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `invocations_agent` ON `invocations` (`tenant_id`,`agent_id`,`id`);
--> statement-breakpoint
CREATE INDEX `invocations_month` ON `invocations` (`month`,`id`);
--> statement-breakpoint
CREATE INDEX `invocations_all` ON `invocations` (`id`);
--> statement-breakpoint
CREATE INDEX `invocations_open` ON `invocations` (`tenant_id`,`status`) WHERE "invocations"."status" = 'in_progress';
--> statement-breakpoint
CREATE INDEX `invocations_due` ON `invocations` (`held_until`) WHERE "invocations"."status" = 'in_progress';
--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`key` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`body_hash` text NOT NULL,
	`invocation_id` text NOT NULL,
	`status` integer,
	`answer` text,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_age` ON `idempotency_keys` (`expires_at`);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_tenant` ON `idempotency_keys` (`tenant_id`);
--> statement-breakpoint
CREATE TABLE `credit_counters` (
	`tenant_id` text NOT NULL,
	`scope` text NOT NULL,
	`month` text NOT NULL,
	`charged_micros` integer NOT NULL,
	`held_micros` integer NOT NULL,
	`cancelled_cost_micros` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `scope`, `month`)
);
--> statement-breakpoint
CREATE TABLE `rate_windows` (
	`tenant_id` text NOT NULL,
	`scope` text NOT NULL,
	`minute` integer NOT NULL,
	`attempts` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `scope`, `minute`)
);
--> statement-breakpoint
CREATE INDEX `rate_windows_age` ON `rate_windows` (`minute`);
--> statement-breakpoint
CREATE TABLE `run_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`tenant_id` text NOT NULL,
	`invocation_id` text NOT NULL,
	`reach` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `run_tokens_run` ON `run_tokens` (`tenant_id`,`invocation_id`);
--> statement-breakpoint
CREATE INDEX `run_tokens_age` ON `run_tokens` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `approvals` (
	`tenant_id` text NOT NULL,
	`id` text NOT NULL,
	`invocation_id` text NOT NULL,
	`agent_name` text NOT NULL,
	`session_id` text NOT NULL,
	`asked` text NOT NULL,
	`reach` text NOT NULL,
	`status` text NOT NULL,
	`comment` text,
	`decided_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`decided_at` integer,
	PRIMARY KEY(`tenant_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `approvals_pending` ON `approvals` (`expires_at`) WHERE "approvals"."status" = 'pending';
--> statement-breakpoint
CREATE TABLE `connections` (
	`tenant_id` text NOT NULL,
	`name` text NOT NULL,
	`base_url` text,
	`material` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `name`)
);
--> statement-breakpoint
CREATE TABLE `tariffs` (
	`id` text PRIMARY KEY NOT NULL,
	`provider` text NOT NULL,
	`model` text NOT NULL,
	`effective_from` integer NOT NULL,
	`credits_per_1k_in_micros` integer NOT NULL,
	`credits_per_1k_out_micros` integer NOT NULL,
	`credits_per_1k_cached_in_micros` integer,
	`provider_cost_per_1k_in_micros` integer,
	`provider_cost_per_1k_out_micros` integer,
	`infra_cost_per_second_micros` integer,
	`own` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tariffs_instant` ON `tariffs` (`provider`,`model`,`effective_from`);
--> statement-breakpoint
CREATE TABLE `plans` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`argo_code` text,
	`max_concurrency` integer,
	`max_rpm` integer,
	`credit_cap_period_micros` integer,
	`max_tokens_per_call` integer,
	`max_run_tokens` integer,
	`max_iterations` integer,
	`max_active_agents` integer,
	`min_fee_micros` integer NOT NULL,
	`activation_price_micros` integer NOT NULL,
	`included_credits_micros` integer NOT NULL,
	`extra_credit_price_micros` integer NOT NULL,
	`spec` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tenant_plans` (
	`tenant_id` text NOT NULL,
	`since` integer NOT NULL,
	`plan_id` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `since`)
);
--> statement-breakpoint
CREATE INDEX `tenant_plans_plan` ON `tenant_plans` (`plan_id`);
--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`tenant_id` text NOT NULL,
	`id` text NOT NULL,
	`argo_code` text NOT NULL,
	`desde` text NOT NULL,
	`last_day` text,
	`created_at` integer NOT NULL,
	`cancelled_at` integer,
	PRIMARY KEY(`tenant_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_id` ON `subscriptions` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_active` ON `subscriptions` (`tenant_id`,`argo_code`) WHERE "subscriptions"."cancelled_at" is null;
--> statement-breakpoint
CREATE TABLE `subscription_plans` (
	`tenant_id` text NOT NULL,
	`subscription_id` text NOT NULL,
	`from_month` text NOT NULL,
	`plan_id` text NOT NULL,
	PRIMARY KEY(`tenant_id`, `subscription_id`, `from_month`)
);
--> statement-breakpoint
CREATE TABLE `usage_events` (
	`tenant_id` text NOT NULL,
	`subscription_id` text NOT NULL,
	`event_id` text NOT NULL,
	`unidad` text NOT NULL,
	`cantidad` integer NOT NULL,
	`ocurrido_en` integer NOT NULL,
	`month` text NOT NULL,
	`received_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `subscription_id`, `event_id`)
);
--> statement-breakpoint
CREATE INDEX `usage_events_month` ON `usage_events` (`tenant_id`,`subscription_id`,`month`);
--> statement-breakpoint
CREATE TABLE `usage_counters` (
	`tenant_id` text NOT NULL,
	`subscription_id` text NOT NULL,
	`month` text NOT NULL,
	`unidad` text NOT NULL,
	`cantidad` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `subscription_id`, `month`, `unidad`)
);
--> statement-breakpoint
CREATE TABLE `billing_periods` (
	`tenant_id` text NOT NULL,
	`id` text NOT NULL,
	`scope` text NOT NULL,
	`month` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`closed_at` integer,
	`facturado_at` integer,
	PRIMARY KEY(`tenant_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `billing_periods_id` ON `billing_periods` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `billing_periods_month` ON `billing_periods` (`tenant_id`,`scope`,`month`);
--> statement-breakpoint
CREATE INDEX `billing_periods_status` ON `billing_periods` (`status`,`month`);
--> statement-breakpoint
CREATE TABLE `charges` (
	`tenant_id` text NOT NULL,
	`period_id` text NOT NULL,
	`line` integer NOT NULL,
	`type` text NOT NULL,
	`description` text NOT NULL,
	`quantity` integer NOT NULL,
	`unit_price_micros` integer NOT NULL,
	`amount_micros` integer NOT NULL,
	`subscription_id` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `period_id`, `line`)
);
--> statement-breakpoint
CREATE TABLE `audit` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`tenant_id` text,
	`subject` text,
	`detail` text NOT NULL,
	`request_id` text
);
--> statement-breakpoint
CREATE INDEX `audit_tenant` ON `audit` (`tenant_id`,`id`);
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `agent_versions_no_update` BEFORE UPDATE ON `agent_versions` BEGIN SELECT RAISE(ABORT, 'agent_versions is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `agent_versions_no_delete` BEFORE DELETE ON `agent_versions` BEGIN SELECT RAISE(ABORT, 'agent_versions is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `audit_no_update` BEFORE UPDATE ON `audit` BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `audit_no_delete` BEFORE DELETE ON `audit` BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `charges_no_update` BEFORE UPDATE ON `charges` BEGIN SELECT RAISE(ABORT, 'charges is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `charges_no_delete` BEFORE DELETE ON `charges` BEGIN SELECT RAISE(ABORT, 'charges is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `plans_no_update` BEFORE UPDATE ON `plans` BEGIN SELECT RAISE(ABORT, 'plans is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `plans_no_delete` BEFORE DELETE ON `plans` BEGIN SELECT RAISE(ABORT, 'plans is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `tariffs_no_update` BEFORE UPDATE ON `tariffs` BEGIN SELECT RAISE(ABORT, 'tariffs is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `tariffs_no_delete` BEFORE DELETE ON `tariffs` BEGIN SELECT RAISE(ABORT, 'tariffs is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `usage_events_no_update` BEFORE UPDATE ON `usage_events` BEGIN SELECT RAISE(ABORT, 'usage_events is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `usage_events_no_delete` BEFORE DELETE ON `usage_events` BEGIN SELECT RAISE(ABORT, 'usage_events is append-only'); END;
