ALTER TABLE `rag_collections` ADD `sender` text;
