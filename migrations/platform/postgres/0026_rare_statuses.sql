CREATE INDEX "invocations_rare" ON "platform"."invocations" USING btree ("status","id") WHERE "platform"."invocations"."status" not in ('in_progress', 'awaiting_approval', 'ok');
