ALTER TABLE `memory_collections` ADD `place` text;
--> statement-breakpoint
ALTER TABLE `memory_collections` ADD `newest` text;
--> statement-breakpoint
ALTER TABLE `rag_collections` ADD `place` text;
--> statement-breakpoint
ALTER TABLE `rag_dropped` ADD `place` text;
