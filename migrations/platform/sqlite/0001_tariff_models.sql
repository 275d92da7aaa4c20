CREATE INDEX `tariffs_model` ON `tariffs` (`model`,`effective_from`);
