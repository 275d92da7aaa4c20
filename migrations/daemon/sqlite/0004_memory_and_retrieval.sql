CREATE TABLE `sessions` (
	`tenant` text NOT NULL,
	`agent` text NOT NULL,
	`session_id` text NOT NULL,
	`life` text NOT NULL,
	`last_seq` integer NOT NULL,
	`turns` integer NOT NULL,
	`tokens` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`summary` text,
	`summary_tokens` integer,
	`summary_up_to` integer NOT NULL,
	`summary_at` integer,
	`claimed_until` integer,
	PRIMARY KEY(`tenant`, `agent`, `session_id`)
);
--> statement-breakpoint
CREATE INDEX `sessions_by_last_at` ON `sessions` (`tenant`,`agent`,`last_at`,`session_id`);
--> statement-breakpoint
CREATE TABLE `memory_places` (
	`tenant` text NOT NULL,
	`agent` text NOT NULL,
	`place` text NOT NULL,
	`address` text,
	`forget_up_to` integer,
	PRIMARY KEY(`tenant`, `agent`, `place`)
);
--> statement-breakpoint
CREATE TABLE `memory_writes` (
	`tenant` text NOT NULL,
	`id` text NOT NULL,
	`agent` text NOT NULL,
	`session_id` text NOT NULL,
	`user_name` text NOT NULL,
	`origin` text NOT NULL,
	`texts` text NOT NULL,
	`forgotten` integer NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` integer NOT NULL,
	PRIMARY KEY(`tenant`, `id`)
);
--> statement-breakpoint
CREATE INDEX `memory_writes_due` ON `memory_writes` (`due_at`,`id`);
--> statement-breakpoint
CREATE INDEX `memory_writes_agent` ON `memory_writes` (`tenant`,`agent`);
--> statement-breakpoint
CREATE TABLE `memory_collections` (
	`tenant` text NOT NULL,
	`agent` text NOT NULL,
	`store` text NOT NULL,
	`embedder` text NOT NULL,
	`dimension` integer NOT NULL,
	PRIMARY KEY(`tenant`, `agent`)
);
--> statement-breakpoint
CREATE TABLE `episodes` (
	`tenant` text NOT NULL,
	`agent` text NOT NULL,
	`id` text NOT NULL,
	`session_id` text NOT NULL,
	`user_name` text NOT NULL,
	`event_type` text NOT NULL,
	`summary` text NOT NULL,
	`context` text NOT NULL,
	`outcome` text NOT NULL,
	`at` integer NOT NULL,
	`importance` real NOT NULL,
	PRIMARY KEY(`tenant`, `agent`, `id`)
);
--> statement-breakpoint
CREATE INDEX `episodes_by_time` ON `episodes` (`tenant`,`agent`,`at`,`id`);
--> statement-breakpoint
CREATE INDEX `episodes_by_importance` ON `episodes` (`tenant`,`agent`,`importance`,`at`);
--> statement-breakpoint
CREATE TABLE `ml_models` (
	`tenant` text NOT NULL,
	`name` text NOT NULL,
	`version` text NOT NULL,
	`path` text NOT NULL,
	`task` text,
	`metadata` text NOT NULL,
	`inputs` text NOT NULL,
	`outputs` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`tenant`, `name`, `version`)
);
--> statement-breakpoint
CREATE INDEX `ml_models_newest` ON `ml_models` (`tenant`,`created_at`);
--> statement-breakpoint
CREATE TABLE `rag_collections` (
	`tenant` text NOT NULL,
	`name` text NOT NULL,
	`id` text NOT NULL,
	`vectors` text NOT NULL,
	`backend` text NOT NULL,
	`store_id` text NOT NULL,
	`embedder_id` text NOT NULL,
	`dimension` integer NOT NULL,
	`created_at` integer NOT NULL,
	`next_vectors` text,
	`owner` text,
	`held_until` integer,
	PRIMARY KEY(`tenant`, `name`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `rag_collections_id` ON `rag_collections` (`tenant`,`id`);
--> statement-breakpoint
CREATE TABLE `rag_documents` (
	`tenant` text NOT NULL,
	`collection` text NOT NULL,
	`id` text NOT NULL,
	`write` text NOT NULL,
	`shares_write` integer NOT NULL,
	`content_hash` text NOT NULL,
	`chunking` text NOT NULL,
	`chunks` integer NOT NULL,
	`characters` integer NOT NULL,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`tenant`, `collection`, `id`)
);
--> statement-breakpoint
CREATE INDEX `rag_documents_write` ON `rag_documents` (`tenant`,`collection`,`write`);
--> statement-breakpoint
CREATE TABLE `rag_writes` (
	`tenant` text NOT NULL,
	`collection` text NOT NULL,
	`write` text NOT NULL,
	`document_id` text NOT NULL,
	`state` text NOT NULL,
	`chunks` integer NOT NULL,
	`owner` text,
	`held_until` integer,
	PRIMARY KEY(`tenant`, `collection`, `write`, `document_id`)
);
--> statement-breakpoint
CREATE INDEX `rag_writes_state` ON `rag_writes` (`state`);
--> statement-breakpoint
CREATE TABLE `rag_dropped` (
	`vectors` text PRIMARY KEY NOT NULL,
	`tenant` text NOT NULL,
	`store_id` text NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `rag_jobs` (
	`tenant` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`collection` text NOT NULL,
	`status` text NOT NULL,
	`documents_done` integer NOT NULL,
	`documents_total` integer NOT NULL,
	`chunks` integer NOT NULL,
	`failed` text NOT NULL,
	`error_code` text,
	`error_message` text,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	`owner` text NOT NULL,
	`held_until` integer NOT NULL,
	PRIMARY KEY(`tenant`, `id`)
);
--> statement-breakpoint
CREATE INDEX `rag_jobs_age` ON `rag_jobs` (`tenant`,`created_at`);
--> statement-breakpoint
CREATE INDEX `rag_jobs_status` ON `rag_jobs` (`status`);
--> statement-breakpoint
ALTER TABLE `channel_messages` ADD `awaits` text;
--> statement-breakpoint
ALTER TABLE `approvals` ADD `kind` text DEFAULT 'approval' NOT NULL;
