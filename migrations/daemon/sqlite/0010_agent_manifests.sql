CREATE TABLE `agent_manifests` (
	`tenant` text NOT NULL,
	`agent` text NOT NULL,
	`number` integer NOT NULL,
	`origin` text NOT NULL,
	`manifest` text NOT NULL,
	`bytes` integer NOT NULL,
	`checksum` text NOT NULL,
	`masked` integer NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`tenant`, `agent`, `number`)
);
