CREATE INDEX `invocations_session` ON `invocations` (`tenant_id`,`session_id`,`id`);
