ALTER TABLE "daemon"."rag_collections" ADD COLUMN "sender" text collate "C";
