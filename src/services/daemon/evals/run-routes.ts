import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  ChangeKind,
  EvalComparisonPage,
  EvalResultDetail,
  EvalResultList,
  EvalRunBrief,
  EvalRunDetail,
  EvalRunList,
  type EvalRunOrder,
} from "../../../contracts/daemon/evals/eval-runs.ts";
import type { EvalRunHead } from "../../../contracts/evals/eval-run.ts";
import { compareRuns } from "../../../evals/comparing/compare-runs.ts";
import { htmlReport } from "../../../evals/report/html.ts";
import { junitReport } from "../../../evals/report/junit.ts";
import { summarize } from "../../../evals/report/summarize.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { cursor, decodeCursor, encodeCursor } from "../../../http/page-cursor.ts";
import { pageLimit, pageOffset } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { eventStream } from "../../../http/streams/event-stream.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { senderIn } from "../manifests/read-sent.ts";
import { type DaemonEvals, requireEvalOwner } from "./eval-routes.ts";
import { presentComparison, presentRow, selectResults } from "./present-run.ts";

const tags = ["evals"];
const ownersOnly = "Only for the owner of this machine.";

const paged = { offset: pageOffset(), limit: pageLimit({ default: 50, max: 200 }) };
const search = Type.Optional(
  Type.String({ maxLength: 200, description: "Text in an id, question or answer." }),
);

const RunQuery = Type.Object({
  eval: Type.Optional(Type.String({ maxLength: 63, description: "Returns only runs of this eval." })),
  cursor,
  limit: pageLimit({ default: 20, max: 100 }),
});

const ResultQuery = Type.Object({
  state: Type.Optional(Type.Union([Type.Literal("failed"), Type.Literal("passed")])),
  search,
  target: Type.Optional(Type.String({ maxLength: 400 })),
  ...paged,
});

const ComparisonQuery = Type.Object({
  before: Type.String({ minLength: 1, maxLength: 128, description: "Id of the earlier run." }),
  change: Type.Optional(ChangeKind),
  search,
  ...paged,
});

const ReportQuery = Type.Object({
  format: Type.Optional(
    Type.Union([Type.Literal("html"), Type.Literal("junit"), Type.Literal("json")], {
      description: "Default: `json`.",
    }),
  ),
});

const Resumption = Type.Object(
  {
    budget_usd: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100_000,
        description: "Budget of the whole run. Default: as before.",
      }),
    ),
  },
  { additionalProperties: false },
);

/** Routes for runs of evals. */
export const evalRunRoutes = ({ evals, clock }: { evals: DaemonEvals; clock: Clock }) => {
  const { files, runs } = evals;
  return new Elysia({ prefix: "/v1/eval-runs" })
    .use(jsonRoutes())
    .get(
      "",
      async ({ query, call }) => {
        requireEvalOwner(call);
        const before = query.cursor === undefined ? undefined : idIn(query.cursor);
        const briefRuns: EvalRunBrief[] = [];
        const selection = {
          ...(query.eval !== undefined && { name: query.eval }),
          ...(before !== undefined && { before }),
        };
        for (const run of runs.list(selection)) if (briefRuns.push(run) > query.limit) break;
        const page = briefRuns.slice(0, query.limit);
        const last = page.at(-1);
        const hasMore = briefRuns.length > page.length && last !== undefined;
        return { runs: page, ...(hasMore && { next_cursor: encodeCursor([last.id]) }) };
      },
      {
        query: RunQuery,
        response: EvalRunList,
        detail: {
          tags,
          operationId: "listEvalRuns",
          summary: "Lists runs of evals, newest first",
          description: `${ownersOnly} Runs of the command line in this data folder are included.`,
        },
      },
    )
    .get(
      "/:id",
      async ({ params, call }) => {
        requireEvalOwner(call);
        const { run, end, elsewhere } = runs.find(params.id);
        if (end !== undefined) return { ...run, summary: end.summary, simulated: end.simulated, elsewhere };
        const { head, results } = runs.results(params.id);
        const simulated = results.some((result) => result.simulated === true);
        return { ...run, summary: summarize(head, results, "interrupted"), simulated, elsewhere };
      },
      {
        response: EvalRunDetail,
        detail: {
          tags,
          operationId: "getEvalRun",
          summary: "Returns a run with its figures",
          description: ownersOnly,
        },
      },
    )
    .get(
      "/:id/results",
      async ({ params, query, call }) => {
        requireEvalOwner(call);
        const matching = selectResults(runs.results(params.id).results, query);
        const page = matching.slice(query.offset, query.offset + query.limit);
        return {
          results: page.map(({ result, number }) => presentRow(result, number)),
          total: matching.length,
        };
      },
      {
        query: ResultQuery,
        response: EvalResultList,
        detail: {
          tags,
          operationId: "listEvalResults",
          summary: "Lists the results of a run",
          description: ownersOnly,
        },
      },
    )
    .get(
      "/:id/results/:number",
      async ({ params, call }) => {
        requireEvalOwner(call);
        const result = /^\d{1,8}$/.test(params.number)
          ? runs.results(params.id).results[Number(params.number) - 1]
          : undefined;
        if (result !== undefined) return { number: Number(params.number), result };
        throw new AppError(
          "not_found",
          "eval_result_not_found",
          `The run has no result ${JSON.stringify(params.number.slice(0, 40))}.`,
        );
      },
      {
        response: EvalResultDetail,
        detail: {
          tags,
          operationId: "getEvalResult",
          summary: "Returns a result with its turns, checks and tool calls",
          description: ownersOnly,
        },
      },
    )
    .get(
      "/:id/comparison",
      async ({ params, query, call }) => {
        requireEvalOwner(call);
        const [before, after] = [runs.results(query.before), runs.results(params.id)];
        return presentComparison(
          compareRuns(before, after),
          { before: runs.find(query.before).run, after: runs.find(params.id).run },
          query,
        );
      },
      {
        query: ComparisonQuery,
        response: EvalComparisonPage,
        detail: {
          tags,
          operationId: "compareEvalRuns",
          summary: "Compares a run with an earlier one, case by case, regressions first",
          description: ownersOnly,
        },
      },
    )
    .get(
      "/:id/report",
      async ({ params, query: { format = "json" }, call }) => {
        requireEvalOwner(call);
        const { head, results } = runs.results(params.id);
        const { end } = runs.find(params.id);
        const ending = end?.summary.ending ?? "interrupted";
        const run = { run: head, summary: summarize(head, results, ending), results };
        if (format === "html")
          return download(htmlReport([run]), `${head.id}.html`, "text/html; charset=utf-8");
        if (format === "junit") return download(junitReport([run]), `${head.id}.xml`, "application/xml");
        return Response.json(run);
      },
      {
        query: ReportQuery,
        detail: {
          tags,
          operationId: "getEvalReport",
          summary: "Returns the report of a run as HTML, JUnit XML or JSON",
          description: ownersOnly,
          responses: {
            200: {
              description: "The report.",
              content: {
                "application/json": { schema: { type: "object" } },
                "application/xml": { schema: { type: "string" } },
                "text/html": { schema: { type: "string" } },
              },
            },
          },
        },
      },
    )
    .get(
      "/:id/events",
      async ({ params, request, call }) => {
        requireEvalOwner(call);
        runs.find(params.id);
        const encode = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
        return eventStream({
          source: (signal) =>
            runs.follow(
              params.id,
              call.retiring === undefined ? signal : AbortSignal.any([signal, call.retiring]),
            ),
          encode,
          encodeError: ({ code, message }) => encode({ type: "error", error: code, message }),
          call,
          request,
          clock,
        }) as never;
      },
      {
        detail: {
          tags,
          operationId: "followEvalRun",
          summary: "Sends the progress of a run as server-sent events",
          description: `${ownersOnly} Each event is a JSON object: \`{"type": "progress", "run": …}\`, and at the end \`done\`. Leaving the stream does not stop the run.`,
          responses: {
            200: {
              description: "Progress of the run.",
              content: { "text/event-stream": { schema: { type: "string" } } },
            },
          },
        },
      },
    )
    .post(
      "/:id/cancel",
      async ({ params, call }) => {
        requireEvalOwner(call);
        return runs.cancel(params.id);
      },
      {
        response: EvalRunBrief,
        detail: {
          tags,
          operationId: "cancelEvalRun",
          summary: "Cancels a run",
          description: `${ownersOnly} Finished cases are kept, and the run can be resumed.`,
        },
      },
    )
    .post(
      "/:id/resume",
      async ({ params, body, call, set }) => {
        requireEvalOwner(call);
        const { run, elsewhere } = runs.find(params.id);
        if (run.status === "running" || run.status === "complete") throw notResumable(run, elsewhere);
        const { head } = runs.results(params.id);
        const file = await files.getValid(head.eval);
        const resumed = await runs.resume(head.id, file, orderOf(head, body.budget_usd), senderIn(call));
        set.status = 202;
        return resumed;
      },
      {
        ...jsonBody(Resumption),
        response: { 202: EvalRunBrief },
        detail: {
          tags,
          operationId: "resumeEvalRun",
          summary: "Goes on with a run that has not finished",
          description: `${ownersOnly} Repeats no finished case. 409 \`eval_changed\` if the cases, checks, targets or agent have changed.`,
        },
      },
    );
};

/** Options of the run that is resumed. */
function orderOf(
  { choices = {}, mode, budget_usd: before }: EvalRunHead,
  given: number | undefined,
): EvalRunOrder {
  const budget = given ?? before;
  return { ...choices, mode, ...(budget !== undefined && { budget_usd: budget }) };
}

function notResumable({ id, status }: EvalRunBrief, elsewhere: boolean): AppError {
  if (status === "complete") return new AppError("conflict", "eval_run_ended", `The run ${id} is complete.`);
  const who = elsewhere ? "Another process is running" : "The server is still running";
  return new AppError("conflict", "eval_run_open", `${who} ${id}.`);
}

function idIn(sent: string): string {
  const [id] = decodeCursor(sent);
  return typeof id === "string" ? id : "";
}

const download = (text: string, name: string, type: string) =>
  new Response(text, {
    headers: { "content-type": type, "content-disposition": `attachment; filename="${name}"` },
  });
