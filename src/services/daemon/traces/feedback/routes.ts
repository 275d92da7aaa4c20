import { Elysia } from "elysia";
import { Feedback, FeedbackDeleted, FeedbackGiven } from "../../../../contracts/daemon/runs/feedback.ts";
import { jsonBody } from "../../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../../http/route-plugins.ts";
import { AppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import { operatorTenant } from "../../operator-tenant.ts";
import { traceNotFound } from "../routes.ts";
import type { TraceArchive } from "../trace-archive.ts";

interface FeedbackDeps {
  traces: Pick<TraceArchive, "judge" | "unjudge">;
  clock: Clock;
}

const tags = ["traces"];

/** Routes by which people judge runs. */
export const feedbackRoutes = ({ traces, clock }: FeedbackDeps) =>
  new Elysia({ prefix: "/v1/traces/:trace_id/feedback" })
    .use(jsonRoutes())
    .put(
      "",
      async ({ params, body }) => {
        const at = clock.now();
        if (!(await traces.judge(operatorTenant, params.trace_id, body, at))) throw traceNotFound();
        return { ...body, at: at.toISOString() };
      },
      {
        ...jsonBody(FeedbackGiven),
        response: Feedback,
        detail: {
          tags,
          operationId: "giveFeedback",
          summary: "Judges a run",
          description: "Replaces the verdict that the run has. It is kept as long as the trace.",
        },
      },
    )
    .delete(
      "",
      async ({ params: { trace_id: traceId } }) => {
        if (!(await traces.unjudge(operatorTenant, traceId))) {
          throw new AppError(
            "not_found",
            "feedback_not_found",
            "There is no feedback on a run with this id.",
          );
        }
        return { status: "deleted" as const, trace_id: traceId };
      },
      {
        response: FeedbackDeleted,
        detail: { tags, operationId: "deleteFeedback", summary: "Deletes the verdict on a run" },
      },
    );
