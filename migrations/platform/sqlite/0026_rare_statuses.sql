CREATE INDEX `invocations_rare` ON `invocations` (`status`,`id`) WHERE "invocations"."status" not in ('in_progress', 'awaiting_approval', 'ok');
