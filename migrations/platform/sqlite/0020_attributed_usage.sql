DROP TRIGGER IF EXISTS `invocations_counted_insert`;
--> statement-breakpoint
DROP TRIGGER IF EXISTS `invocations_counted_update`;
--> statement-breakpoint
DROP TRIGGER IF EXISTS `invocations_counted_delete`;
--> statement-breakpoint
CREATE TABLE `attributed_usage` (
	`tenant_id` text NOT NULL,
	`month` text NOT NULL,
	`caller` text NOT NULL,
	`provider` text NOT NULL,
	`model` text NOT NULL,
	`invocations` integer NOT NULL,
	`uses` integer NOT NULL,
	`tokens_in` integer NOT NULL,
	`tokens_out` integer NOT NULL,
	`tokens_cached` integer NOT NULL,
	`charged_micros` integer NOT NULL,
	`provider_cost_micros` integer NOT NULL,
	`unknown_costs` integer NOT NULL,
	`unknown_uses` integer NOT NULL,
	PRIMARY KEY(`tenant_id`, `month`, `caller`, `provider`, `model`)
);
--> statement-breakpoint
CREATE INDEX `attributed_usage_month` ON `attributed_usage` (`month`,`tenant_id`,`caller`,`provider`,`model`);
--> statement-breakpoint
ALTER TABLE `invocations` ADD `caller` text;
--> statement-breakpoint
ALTER TABLE `invocations` ADD `attributed` integer DEFAULT false NOT NULL;
--> statement-breakpoint
CREATE INDEX `invocations_unattributed` ON `invocations` (`id`) WHERE not "invocations"."attributed";
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `invocations_counted_insert` AFTER INSERT ON `invocations` WHEN NEW.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'runs', 96 + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`agent_id`), 0) + coalesce(octet_length(NEW.`agent_name`), 0) + coalesce(octet_length(NEW.`subscription_id`), 0) + coalesce(octet_length(NEW.`status`), 0) + coalesce(octet_length(NEW.`session_id`), 0) + coalesce(octet_length(NEW.`error_code`), 0) + coalesce(octet_length(NEW.`message`), 0) + coalesce(octet_length(NEW.`month`), 0) + coalesce(octet_length(NEW.`plan_id`), 0) + coalesce(octet_length(NEW.`pricing_status`), 0) + coalesce(octet_length(NEW.`by_model`), 0) + coalesce(octet_length(NEW.`engine_costs`), 0) + coalesce(octet_length(NEW.`owner`), 0) + coalesce(octet_length(NEW.`trace_id`), 0) + coalesce(octet_length(NEW.`caller`), 0)) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `invocations_counted_update` AFTER UPDATE OF `tenant_id`, `id`, `agent_id`, `agent_name`, `subscription_id`, `status`, `session_id`, `error_code`, `message`, `month`, `plan_id`, `pricing_status`, `by_model`, `engine_costs`, `owner`, `trace_id`, `caller` ON `invocations` WHEN NEW.`tenant_id` IS NOT NULL AND (96 + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`agent_id`), 0) + coalesce(octet_length(NEW.`agent_name`), 0) + coalesce(octet_length(NEW.`subscription_id`), 0) + coalesce(octet_length(NEW.`status`), 0) + coalesce(octet_length(NEW.`session_id`), 0) + coalesce(octet_length(NEW.`error_code`), 0) + coalesce(octet_length(NEW.`message`), 0) + coalesce(octet_length(NEW.`month`), 0) + coalesce(octet_length(NEW.`plan_id`), 0) + coalesce(octet_length(NEW.`pricing_status`), 0) + coalesce(octet_length(NEW.`by_model`), 0) + coalesce(octet_length(NEW.`engine_costs`), 0) + coalesce(octet_length(NEW.`owner`), 0) + coalesce(octet_length(NEW.`trace_id`), 0) + coalesce(octet_length(NEW.`caller`), 0)) <> (96 + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`agent_id`), 0) + coalesce(octet_length(OLD.`agent_name`), 0) + coalesce(octet_length(OLD.`subscription_id`), 0) + coalesce(octet_length(OLD.`status`), 0) + coalesce(octet_length(OLD.`session_id`), 0) + coalesce(octet_length(OLD.`error_code`), 0) + coalesce(octet_length(OLD.`message`), 0) + coalesce(octet_length(OLD.`month`), 0) + coalesce(octet_length(OLD.`plan_id`), 0) + coalesce(octet_length(OLD.`pricing_status`), 0) + coalesce(octet_length(OLD.`by_model`), 0) + coalesce(octet_length(OLD.`engine_costs`), 0) + coalesce(octet_length(OLD.`owner`), 0) + coalesce(octet_length(OLD.`trace_id`), 0) + coalesce(octet_length(OLD.`caller`), 0)) BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (NEW.`tenant_id`, 'runs', (96 + coalesce(octet_length(NEW.`tenant_id`), 0) + coalesce(octet_length(NEW.`id`), 0) + coalesce(octet_length(NEW.`agent_id`), 0) + coalesce(octet_length(NEW.`agent_name`), 0) + coalesce(octet_length(NEW.`subscription_id`), 0) + coalesce(octet_length(NEW.`status`), 0) + coalesce(octet_length(NEW.`session_id`), 0) + coalesce(octet_length(NEW.`error_code`), 0) + coalesce(octet_length(NEW.`message`), 0) + coalesce(octet_length(NEW.`month`), 0) + coalesce(octet_length(NEW.`plan_id`), 0) + coalesce(octet_length(NEW.`pricing_status`), 0) + coalesce(octet_length(NEW.`by_model`), 0) + coalesce(octet_length(NEW.`engine_costs`), 0) + coalesce(octet_length(NEW.`owner`), 0) + coalesce(octet_length(NEW.`trace_id`), 0) + coalesce(octet_length(NEW.`caller`), 0)) - (96 + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`agent_id`), 0) + coalesce(octet_length(OLD.`agent_name`), 0) + coalesce(octet_length(OLD.`subscription_id`), 0) + coalesce(octet_length(OLD.`status`), 0) + coalesce(octet_length(OLD.`session_id`), 0) + coalesce(octet_length(OLD.`error_code`), 0) + coalesce(octet_length(OLD.`message`), 0) + coalesce(octet_length(OLD.`month`), 0) + coalesce(octet_length(OLD.`plan_id`), 0) + coalesce(octet_length(OLD.`pricing_status`), 0) + coalesce(octet_length(OLD.`by_model`), 0) + coalesce(octet_length(OLD.`engine_costs`), 0) + coalesce(octet_length(OLD.`owner`), 0) + coalesce(octet_length(OLD.`trace_id`), 0) + coalesce(octet_length(OLD.`caller`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
--> statement-breakpoint
CREATE TRIGGER IF NOT EXISTS `invocations_counted_delete` AFTER DELETE ON `invocations` WHEN OLD.`tenant_id` IS NOT NULL BEGIN INSERT INTO `stored_bytes` (`owner_id`, `area`, `bytes`) VALUES (OLD.`tenant_id`, 'runs', -(96 + coalesce(octet_length(OLD.`tenant_id`), 0) + coalesce(octet_length(OLD.`id`), 0) + coalesce(octet_length(OLD.`agent_id`), 0) + coalesce(octet_length(OLD.`agent_name`), 0) + coalesce(octet_length(OLD.`subscription_id`), 0) + coalesce(octet_length(OLD.`status`), 0) + coalesce(octet_length(OLD.`session_id`), 0) + coalesce(octet_length(OLD.`error_code`), 0) + coalesce(octet_length(OLD.`message`), 0) + coalesce(octet_length(OLD.`month`), 0) + coalesce(octet_length(OLD.`plan_id`), 0) + coalesce(octet_length(OLD.`pricing_status`), 0) + coalesce(octet_length(OLD.`by_model`), 0) + coalesce(octet_length(OLD.`engine_costs`), 0) + coalesce(octet_length(OLD.`owner`), 0) + coalesce(octet_length(OLD.`trace_id`), 0) + coalesce(octet_length(OLD.`caller`), 0))) ON CONFLICT (`owner_id`, `area`, `part`) DO UPDATE SET `bytes` = `bytes` + excluded.`bytes`; END;
