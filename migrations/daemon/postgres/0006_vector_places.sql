ALTER TABLE "daemon"."memory_collections" ADD COLUMN "place" text collate "C";
--> statement-breakpoint
ALTER TABLE "daemon"."memory_collections" ADD COLUMN "newest" text collate "C";
--> statement-breakpoint
ALTER TABLE "daemon"."rag_collections" ADD COLUMN "place" text collate "C";
--> statement-breakpoint
ALTER TABLE "daemon"."rag_dropped" ADD COLUMN "place" text collate "C";
