import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  EvalCaseHistory,
  EvalPlan,
  EvalRunBrief,
  EvalRunOrder,
} from "../../../contracts/daemon/evals/eval-runs.ts";
import {
  CasesChanged,
  EvalCaseList,
  EvalDetail,
  EvalList,
  NewCases,
  NewEval,
  NewTraceCase,
  TraceCaseAdded,
  TraceCaseDraft,
} from "../../../contracts/daemon/evals/evals.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import type { Call } from "../../../http/call.ts";
import { pageLimit, pageOffset } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { senderIn } from "../manifests/read-sent.ts";
import { readCaseHistory } from "./case-history.ts";
import {
  addCases,
  addTraceCase,
  createEval,
  deleteCase,
  replaceCase,
  type TraceCase,
} from "./change-evals.ts";
import type { EvalFile, EvalFiles } from "./eval-files.ts";
import type { EvalPerformer, EvalRuns } from "./eval-runs.ts";

/** Evals of the daemon: their files, their runs, and what makes both. */
export interface DaemonEvals {
  files: EvalFiles;
  runs: EvalRuns;
  performer: EvalPerformer;
  /** Returns the case that a trace makes. Throws AppError `trace_not_found` or `trace_without_content`. */
  caseOfTrace(id: string): Promise<TraceCase>;
  /** Names of the agents that can be asked. */
  agents(): string[];
}

/** Room for the CSV or JSONL file of an import. */
const importBytesMax = 8 * 1024 * 1024;

/** Runs of an eval that the list of evals shows. */
const trendMax = 20;

const tags = ["evals"];
const ownersOnly = "Only for the owner of this machine.";

/** Throws `owner_only` (403) unless the caller is the machine's owner: evals spend money, run tools and change files. */
export function requireEvalOwner({ isOwner }: Pick<Call, "isOwner">): void {
  if (isOwner) return;
  throw new AppError("forbidden", "owner_only", "Only this machine's owner works with evals.", {
    details: { hint: "Use the command line on this machine, or the console opened with `argosy console`." },
  });
}

const CaseQuery = Type.Object({
  search: Type.Optional(Type.String({ maxLength: 200, description: "Text in an id, question or answer." })),
  tag: Type.Optional(Type.String({ maxLength: 63 })),
  offset: pageOffset(),
  limit: pageLimit({ default: 50, max: 200 }),
});

const IfMatch = Type.Object({
  "if-match": Type.Optional(
    Type.String({
      maxLength: 200,
      description: "`etag` of the eval that the change was made for. Required.",
    }),
  ),
});

const CaseBody = Type.Record(Type.String(), Type.Unknown());

/** Routes for the eval files of the workspace. */
export const evalRoutes = ({ evals }: { evals: DaemonEvals }) => {
  const { files, runs } = evals;
  return new Elysia({ prefix: "/v1/evals" })
    .use(jsonRoutes(importBytesMax))
    .get(
      "",
      async ({ call }) => {
        requireEvalOwner(call);
        const evalFiles = await files.list();
        const byEval = await newestRuns(
          runs,
          evalFiles.map(({ name }) => name),
        );
        return {
          evals: evalFiles.map((file) => ({ ...presentEval(file), runs: byEval.get(file.name) ?? [] })),
          agents: evals.agents(),
        };
      },
      {
        response: EvalList,
        detail: {
          tags,
          operationId: "listEvals",
          summary: "Lists the evals of the workspace with their last runs",
          description: `${ownersOnly} A broken file is listed with its faults.`,
        },
      },
    )
    .post(
      "",
      async ({ body, call, set }) => {
        requireEvalOwner(call);
        const file = await createEval(files, body);
        set.status = 201;
        return presentDetail(file);
      },
      {
        ...jsonBody(NewEval),
        response: { 201: EvalDetail },
        detail: {
          tags,
          operationId: "createEval",
          summary: "Creates an eval with its first case",
          description: `${ownersOnly} Writes \`evals/<name>.eval.yaml\`.`,
        },
      },
    )
    .get(
      "/drafts/:trace_id",
      async ({ params, call }) => {
        requireEvalOwner(call);
        const { agent, one } = await evals.caseOfTrace(params.trace_id);
        const { id, query, expected, context, stubs } = one;
        return {
          agent,
          id,
          query,
          ...(expected !== undefined && { expected }),
          ...(context && { context }),
          stubs: [...stubs],
        };
      },
      {
        response: TraceCaseDraft,
        detail: {
          tags,
          operationId: "draftTraceCase",
          summary: "Returns the case that a run would make",
          description: `${ownersOnly} Nothing is written.`,
        },
      },
    )
    .post(
      "/from-trace",
      async ({ body, call, set }) => {
        requireEvalOwner(call);
        const added = await addTraceCase(files, await evals.caseOfTrace(body.trace_id), body);
        set.status = 201;
        return added;
      },
      {
        ...jsonBody(NewTraceCase),
        response: { 201: TraceCaseAdded },
        detail: {
          tags,
          operationId: "addTraceCase",
          summary: "Adds a run as a case: question, answer, and tool results as stubs",
          description: `${ownersOnly} Creates the eval if there is none of that name. The trace needs its content, or a recording.`,
        },
      },
    )
    .get(
      "/:name",
      async ({ params, call }) => {
        requireEvalOwner(call);
        return presentDetail(await files.get(params.name));
      },
      {
        response: EvalDetail,
        detail: { tags, operationId: "getEval", summary: "Returns an eval", description: ownersOnly },
      },
    )
    .get(
      "/:name/cases",
      async ({ params, query, call }) => {
        requireEvalOwner(call);
        const { etag, cases } = await files.get(params.name);
        const matching = cases
          .map((one, index) => ({ ...one, number: index + 1 }))
          .filter(
            ({ id, case: one }) =>
              (query.tag === undefined || one.tags.includes(query.tag)) && hasText(id, one, query.search),
          );
        const { offset, limit } = query;
        return { etag, cases: matching.slice(offset, offset + limit), total: matching.length };
      },
      {
        query: CaseQuery,
        response: EvalCaseList,
        detail: {
          tags,
          operationId: "listEvalCases",
          summary: "Lists the cases of an eval",
          description: ownersOnly,
        },
      },
    )
    .post(
      "/:name/cases",
      async ({ params, body, call, set }) => {
        requireEvalOwner(call);
        const changed = await addCases(files, params.name, body);
        set.status = 201;
        return changed;
      },
      {
        ...jsonBody(NewCases),
        response: { 201: CasesChanged },
        detail: {
          tags,
          operationId: "addEvalCases",
          summary: "Adds a case, or all cases of a CSV or JSONL text",
          description: `${ownersOnly} Adds all cases or none. Comments of the file stay.`,
        },
      },
    )
    .get(
      "/:name/cases/:id/history",
      async ({ params: { name, id }, call }) => {
        requireEvalOwner(call);
        await files.get(name);
        return readCaseHistory(runs, name, id);
      },
      {
        response: EvalCaseHistory,
        detail: {
          tags,
          operationId: "getEvalCaseHistory",
          summary: "Returns what was answered to a case, run by run",
          description: `${ownersOnly} A case that no kept run asked has no runs.`,
        },
      },
    )
    .put(
      "/:name/cases/:id",
      async ({ params, body, headers, call }) => {
        requireEvalOwner(call);
        return replaceCase(files, params.name, params.id, body, etagIn(headers["if-match"]));
      },
      {
        ...jsonBody(CaseBody),
        headers: IfMatch,
        response: CasesChanged,
        detail: {
          tags,
          operationId: "replaceEvalCase",
          summary: "Replaces a case",
          description: `${ownersOnly} Keys that stay the same keep their comments. 409 \`eval_file_changed\` if the file is not in the state of \`If-Match\`.`,
        },
      },
    )
    .delete(
      "/:name/cases/:id",
      async ({ params, headers, call }) => {
        requireEvalOwner(call);
        return deleteCase(files, params.name, params.id, etagIn(headers["if-match"]));
      },
      {
        headers: IfMatch,
        response: CasesChanged,
        detail: { tags, operationId: "deleteEvalCase", summary: "Deletes a case", description: ownersOnly },
      },
    )
    .post(
      "/:name/plan",
      async ({ params, body, call }) => {
        requireEvalOwner(call);
        return evals.performer.plan(await files.getValid(params.name), body, senderIn(call));
      },
      {
        ...jsonBody(EvalRunOrder),
        response: EvalPlan,
        detail: {
          tags,
          operationId: "planEvalRun",
          summary: "Returns the number of calls that a run would make",
          description: `${ownersOnly} Refuses what a run would refuse. Nothing runs.`,
        },
      },
    )
    .post(
      "/:name/runs",
      async ({ params, body, call, set }) => {
        requireEvalOwner(call);
        const run = await runs.start(await files.getValid(params.name), body, senderIn(call));
        set.status = 202;
        return run;
      },
      {
        ...jsonBody(EvalRunOrder),
        response: { 202: EvalRunBrief },
        detail: {
          tags,
          operationId: "startEvalRun",
          summary: "Starts a run of an eval",
          description: `${ownersOnly} The run goes on after the response, with the agents as they are now. At most 4 run at the same time.`,
        },
      },
    );
};

function presentEval({ name, file, spec, cases, tags: named, faults }: EvalFile) {
  return {
    name,
    file,
    ...(spec && { agent: spec.agent }),
    ...(spec?.description !== undefined && { description: spec.description }),
    cases: cases.length,
    tags: [...named],
    faults: faults.map((fault) => ({ ...fault })),
  };
}

function presentDetail(file: EvalFile): EvalDetail {
  const { spec, etag, casesPath, faults } = file;
  const { cases, ...rest } = spec ?? {};
  return {
    ...presentEval(file),
    etag,
    ...(typeof cases === "string" && { cases_file: cases }),
    editable: faults.length === 0 && !(casesPath?.endsWith(".csv") ?? false),
    spec: rest,
  };
}

/** The newest runs by eval. */
async function newestRuns(
  runs: EvalRuns,
  names: readonly string[],
): Promise<ReadonlyMap<string, EvalRunBrief[]>> {
  const of = async (name: string) => [name, await runs.list({ eval: name, limit: trendMax })] as const;
  return new Map(await Promise.all([...new Set(names)].map(of)));
}

function hasText(id: string, one: EvalFile["cases"][number]["case"], search: string | undefined): boolean {
  if (search === undefined) return true;
  const texts = [id, one.query, one.expected, ...(one.turns ?? []).map(({ query }) => query)];
  return texts.some((text) => text?.toLowerCase().includes(search.toLowerCase()));
}

function etagIn(header: string | undefined): string {
  const etag = header?.replace(/^(?:W\/)?"(.*)"$/, "$1");
  if (etag !== undefined && etag !== "" && etag !== "*") return etag;
  throw new AppError("invalid", "invalid_request", "This request needs the header If-Match.", {
    details: { hint: "Send the `etag` that GET /v1/evals/{name} returned." },
  });
}
