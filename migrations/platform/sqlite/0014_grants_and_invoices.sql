CREATE TABLE `adjustments` (
	`tenant_id` text NOT NULL,
	`id` text NOT NULL,
	`month` text NOT NULL,
	`amount_micros` integer NOT NULL,
	`reason` text NOT NULL,
	`reference` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `adjustments_month` ON `adjustments` (`tenant_id`,`month`);
--> statement-breakpoint
CREATE TABLE `voided_events` (
	`tenant_id` text NOT NULL,
	`subscription_id` text NOT NULL,
	`event_id` text NOT NULL,
	`reason` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `subscription_id`, `event_id`)
);
--> statement-breakpoint
CREATE TABLE `grants` (
	`tenant_id` text NOT NULL,
	`id` text NOT NULL,
	`credits_micros` integer NOT NULL,
	`reason` text NOT NULL,
	`expires_at` integer,
	`price_micros` integer,
	`month` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `grants_month` ON `grants` (`tenant_id`,`month`);
--> statement-breakpoint
CREATE TABLE `grant_accounts` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`held_micros` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `grant_uses` (
	`tenant_id` text NOT NULL,
	`grant_id` text NOT NULL,
	`month` text NOT NULL,
	`used_micros` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `grant_id`, `month`)
);
--> statement-breakpoint
CREATE TABLE `plan_credits` (
	`tenant_id` text NOT NULL,
	`month` text NOT NULL,
	`scope` text NOT NULL,
	`plan_id` text NOT NULL,
	`charged_micros` integer NOT NULL,
	`granted_micros` integer NOT NULL,
	`extra_micros` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `month`, `scope`, `plan_id`)
);
--> statement-breakpoint
CREATE TABLE `invoice_settings` (
	`id` text PRIMARY KEY NOT NULL,
	`settings` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `invoice_customers` (
	`tenant_id` text PRIMARY KEY NOT NULL,
	`details` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `invoice_ranges` (
	`range` text PRIMARY KEY NOT NULL,
	`last_number` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `invoices` (
	`tenant_id` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`range` text NOT NULL,
	`number` integer NOT NULL,
	`month` text NOT NULL,
	`issued_on` text NOT NULL,
	`due_on` text NOT NULL,
	`subtotal_micros` integer NOT NULL,
	`net_micros` integer NOT NULL,
	`tax_micros` integer NOT NULL,
	`total_micros` integer NOT NULL,
	`invoice_id` text,
	`content` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invoices_id` ON `invoices` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `invoices_number` ON `invoices` (`range`,`number`);
--> statement-breakpoint
CREATE INDEX `invoices_month` ON `invoices` (`month`,`id`);
--> statement-breakpoint
CREATE INDEX `invoices_credits` ON `invoices` (`tenant_id`,`invoice_id`) WHERE "invoices"."invoice_id" is not null;
--> statement-breakpoint
CREATE TABLE `invoice_states` (
	`tenant_id` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`month` text NOT NULL,
	`status` text NOT NULL,
	`paid_on` text,
	`changed_at` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invoice_states_month` ON `invoice_states` (`tenant_id`,`month`) WHERE "invoice_states"."kind" = 'invoice' and "invoice_states"."status" <> 'void';
--> statement-breakpoint
ALTER TABLE `invocations` ADD `held_grant_micros` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `credit_counters` ADD `granted_micros` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `credit_counters` ADD `held_grant_micros` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `adjustments_no_update` BEFORE UPDATE ON `adjustments` BEGIN SELECT RAISE(ABORT, 'adjustments is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `adjustments_no_delete` BEFORE DELETE ON `adjustments` BEGIN SELECT RAISE(ABORT, 'adjustments is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `grants_no_update` BEFORE UPDATE ON `grants` BEGIN SELECT RAISE(ABORT, 'grants is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `grants_no_delete` BEFORE DELETE ON `grants` BEGIN SELECT RAISE(ABORT, 'grants is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `invoices_no_update` BEFORE UPDATE ON `invoices` BEGIN SELECT RAISE(ABORT, 'invoices is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `invoices_no_delete` BEFORE DELETE ON `invoices` BEGIN SELECT RAISE(ABORT, 'invoices is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `voided_events_no_update` BEFORE UPDATE ON `voided_events` BEGIN SELECT RAISE(ABORT, 'voided_events is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `voided_events_no_delete` BEFORE DELETE ON `voided_events` BEGIN SELECT RAISE(ABORT, 'voided_events is append-only'); END;
