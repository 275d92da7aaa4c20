import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  ChangeKind,
  EvalComparisonPage,
  EvalFileOrder,
  EvalGrid,
  EvalResultDetail,
  EvalResultList,
  EvalRunBrief,
  EvalRunDetail,
  EvalRunList,
  EvalRunOrder,
} from "../../../contracts/daemon/evals/eval-runs.ts";
import type { EvalEnding, EvalRunHead } from "../../../contracts/evals/eval-run.ts";
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
import type { RunResults } from "./eval-runs.ts";
import { presentComparison, presentGrid, presentRow, selectResults } from "./present-run.ts";

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

const GridQuery = Type.Object({
  differing: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], {
      description: "`true`: returns only cases that some targets pass more often than others.",
    }),
  ),
  search,
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

/** Routes for runs of evals. */
export const evalRunRoutes = ({ evals, clock }: { evals: DaemonEvals; clock: Clock }) => {
  const { files, runs } = evals;
  return new Elysia({ prefix: "/v1/eval-runs" })
    .use(jsonRoutes())
    .get(
      "",
      async ({ query, call }) => {
        requireEvalOwner(call);
        const { eval: name, limit } = query;
        const listed = await runs.list({
          ...(name !== undefined && { eval: name }),
          ...(query.cursor !== undefined && { before: idIn(query.cursor) }),
          limit: limit + 1,
        });
        const page = listed.slice(0, limit);
        const last = page.at(-1);
        const hasMore = listed.length > page.length && last !== undefined;
        return { runs: page, ...(hasMore && { next_cursor: encodeCursor([last.id]) }) };
      },
      {
        query: RunQuery,
        response: EvalRunList,
        detail: {
          tags,
          operationId: "listEvalRuns",
          summary: "Lists runs of evals, newest first",
          description: `${ownersOnly} Runs of the command line are included.`,
        },
      },
    )
    .post(
      "",
      async ({ body: { file, ...order }, call, set }) => {
        requireEvalOwner(call);
        const run = await runs.start(files.at(file), order, senderIn(call));
        set.status = 202;
        return run;
      },
      {
        ...jsonBody(EvalFileOrder),
        response: { 202: EvalRunBrief },
        detail: {
          tags,
          operationId: "startEvalFileRun",
          summary: "Starts a run of an eval in any file of this machine",
          description: `${ownersOnly} As \`POST /v1/evals/{name}/runs\` does for an eval of the workspace.`,
        },
      },
    )
    .get(
      "/:id",
      async ({ params, call }) => {
        requireEvalOwner(call);
        const { run, end, elsewhere } = await runs.find(params.id);
        if (end !== undefined) return { ...run, summary: end.summary, simulated: end.simulated, elsewhere };
        const { head, results } = await runs.results(params.id);
        const simulated = results.some(({ result }) => result.simulated === true);
        return { ...run, summary: summaryOf({ head, results }, "interrupted"), simulated, elsewhere };
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
        const matching = selectResults((await runs.results(params.id)).results, query);
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
        const { results } = await runs.results(params.id);
        const one = /^\d{1,8}$/.test(params.number)
          ? results.find(({ number }) => number === Number(params.number))
          : undefined;
        if (one !== undefined) return one;
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
      "/:id/grid",
      async ({ params, query, call }) => {
        requireEvalOwner(call);
        return presentGrid(await runs.results(params.id), query);
      },
      {
        query: GridQuery,
        response: EvalGrid,
        detail: {
          tags,
          operationId: "getEvalGrid",
          summary: "Returns the answers of a run as cases by targets",
          description: ownersOnly,
        },
      },
    )
    .get(
      "/:id/comparison",
      async ({ params, query, call }) => {
        requireEvalOwner(call);
        const [before, after] = [await runs.results(query.before), await runs.results(params.id)];
        return presentComparison(
          compareRuns(sideOf(before), sideOf(after)),
          { before: (await runs.find(query.before)).run, after: (await runs.find(params.id)).run },
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
        const stored = await runs.results(params.id);
        const { end } = await runs.find(params.id);
        const { head, results } = sideOf(stored);
        const run = { run: head, summary: summaryOf(stored, end?.summary.ending ?? "interrupted"), results };
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
        await runs.find(params.id);
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
        const { run, elsewhere } = await runs.find(params.id);
        if (run.status === "running") throw stillRunning(run, elsewhere);
        const { head } = await runs.results(params.id);
        const order = { ...orderOf(head), ...body };
        const resumed = await runs.start(files.at(head.file), order, senderIn(call), head.id);
        set.status = 202;
        return resumed;
      },
      {
        ...jsonBody(EvalRunOrder),
        response: { 202: EvalRunBrief },
        detail: {
          tags,
          operationId: "resumeEvalRun",
          summary: "Goes on with a run that has not finished",
          description: `${ownersOnly} Repeats no finished case. Options that the body omits are as before. 409 \`eval_changed\` if the cases, checks, targets or agent have changed.`,
        },
      },
    );
};

/** Options of the run that is resumed. */
const orderOf = ({
  choices = {},
  mode,
  budget_usd: budget,
  agent_fingerprint: version,
}: EvalRunHead): EvalRunOrder => ({
  ...choices,
  mode,
  budget_usd: budget ?? null,
  ...(version !== undefined && { candidate: true }),
});

const sideOf = ({ head, results }: RunResults) => ({ head, results: results.map(({ result }) => result) });

const summaryOf = (run: RunResults, ending: EvalEnding) => summarize(run.head, sideOf(run).results, ending);

function stillRunning({ id }: EvalRunBrief, elsewhere: boolean): AppError {
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
