DROP INDEX "daemon"."episodes_by_importance";
--> statement-breakpoint
CREATE INDEX "episodes_newest_of_user" ON "daemon"."episodes" USING btree ("tenant","agent","user_name","at","id","importance");
--> statement-breakpoint
CREATE INDEX "episodes_important_of_user" ON "daemon"."episodes" USING btree ("tenant","agent","user_name","importance","at","id");
--> statement-breakpoint
CREATE INDEX "traces_slowest_of_agent" ON "daemon"."traces" USING btree ("tenant","agent","duration_ms","trace_id");
--> statement-breakpoint
CREATE INDEX "traces_dearest_of_agent" ON "daemon"."traces" USING btree ("tenant","agent","cost_micros","trace_id");
--> statement-breakpoint
CREATE INDEX "traces_newest_of_session" ON "daemon"."traces" USING btree ("tenant","session_id","started_at","trace_id");
--> statement-breakpoint
CREATE INDEX "traces_newest_of_model" ON "daemon"."traces" USING btree ("tenant","model","started_at","trace_id");
