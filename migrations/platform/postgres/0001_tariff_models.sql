CREATE INDEX "tariffs_model" ON "platform"."tariffs" USING btree ("model","effective_from");
