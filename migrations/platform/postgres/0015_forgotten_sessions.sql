CREATE INDEX "invocations_session" ON "platform"."invocations" USING btree ("tenant_id","session_id","id");
