import { AppError } from "../../../kit/app-error.ts";
import { queryString, segment } from "../../paths.ts";
import type { Tagged } from "../../tagged.ts";
import type {
  EvalCaseHistory,
  EvalComparisonPage,
  EvalFileOrder,
  EvalGrid,
  EvalPlan,
  EvalResultDetail,
  EvalResultList,
  EvalRunBrief,
  EvalRunDetail,
  EvalRunList,
  EvalRunOrder,
} from "./eval-runs.ts";
import type {
  CasesChanged,
  EvalCaseEntry,
  EvalCaseList,
  EvalDetail,
  EvalList,
  NewCases,
  NewEval,
  NewTraceCase,
  TraceCaseAdded,
  TraceCaseDraft,
} from "./evals.ts";

/** Parts of a request. */
export interface EvalSending {
  body?: unknown;
  ifMatch?: string;
  signal?: AbortSignal | undefined;
}

type EvalCall = <T>(method: string, path: string, sending?: EvalSending) => Promise<T>;

/** Methods of the daemon's client for evals and their runs. Only the machine's owner may call them. */
export function evalsClient(call: EvalCall) {
  const evalPath = (name: string) => `/v1/evals/${segment(name)}`;
  const casePath = (name: string, id: string) => `${evalPath(name)}/cases/${segment(id)}`;
  const runPath = (id: string) => `/v1/eval-runs/${segment(id)}`;
  return {
    listEvals: () => call<EvalList>("GET", "/v1/evals"),
    getEval: (name: string) => call<EvalDetail>("GET", evalPath(name)),
    createEval: (body: NewEval) => call<EvalDetail>("POST", "/v1/evals", { body }),
    listEvalCases: (
      name: string,
      query: { search?: string; tag?: string; offset?: number; limit?: number } = {},
    ) => call<EvalCaseList>("GET", `${evalPath(name)}/cases${queryString(query)}`),
    /** Reads a case with the tag of its file. Throws AppError `case_not_found` if the eval has no such case. */
    async readEvalCase(name: string, id: string): Promise<Tagged<EvalCaseEntry>> {
      const limit = 200;
      for (let offset = 0; ; offset += limit) {
        const query = queryString({ search: id, offset, limit });
        const page = await call<EvalCaseList>("GET", `${evalPath(name)}/cases${query}`);
        const value = page.cases.find((entry) => entry.id === id);
        if (value !== undefined) return { value, tag: page.etag };
        if (offset + limit >= page.total)
          throw new AppError("not_found", "case_not_found", `The eval ${name} has no case ${id}.`);
      }
    },
    addEvalCases: (name: string, body: NewCases) =>
      call<CasesChanged>("POST", `${evalPath(name)}/cases`, { body }),
    replaceEvalCase: (name: string, id: string, body: Record<string, unknown>, etag: string) =>
      call<CasesChanged>("PUT", casePath(name, id), { body, ifMatch: etag }),
    deleteEvalCase: (name: string, id: string, etag: string) =>
      call<CasesChanged>("DELETE", casePath(name, id), { ifMatch: etag }),
    draftTraceCase: (trace: string) => call<TraceCaseDraft>("GET", `/v1/evals/drafts/${segment(trace)}`),
    addTraceCase: (body: NewTraceCase) => call<TraceCaseAdded>("POST", "/v1/evals/from-trace", { body }),
    planEvalRun: (name: string, body: EvalRunOrder, signal?: AbortSignal) =>
      call<EvalPlan>("POST", `${evalPath(name)}/plan`, { body, signal }),
    startEvalRun: (name: string, body: EvalRunOrder) =>
      call<EvalRunBrief>("POST", `${evalPath(name)}/runs`, { body }),
    startEvalFileRun: (body: EvalFileOrder) => call<EvalRunBrief>("POST", "/v1/eval-runs", { body }),
    listEvalRuns: (query: { eval?: string; cursor?: string; limit?: number } = {}) =>
      call<EvalRunList>("GET", `/v1/eval-runs${queryString(query)}`),
    getEvalRun: (id: string) => call<EvalRunDetail>("GET", runPath(id)),
    listEvalResults: (
      id: string,
      query: {
        state?: "failed" | "passed";
        search?: string;
        target?: string;
        offset?: number;
        limit?: number;
      } = {},
    ) => call<EvalResultList>("GET", `${runPath(id)}/results${queryString(query)}`),
    getEvalResult: (id: string, number: number) =>
      call<EvalResultDetail>("GET", `${runPath(id)}/results/${number}`),
    getEvalGrid: (
      id: string,
      query: { search?: string; differing?: "true"; offset?: number; limit?: number } = {},
    ) => call<EvalGrid>("GET", `${runPath(id)}/grid${queryString(query)}`),
    getEvalCaseHistory: (name: string, id: string) =>
      call<EvalCaseHistory>("GET", `${casePath(name, id)}/history`),
    compareEvalRuns: (
      after: string,
      query: { before: string; change?: string; search?: string; offset?: number; limit?: number },
    ) => call<EvalComparisonPage>("GET", `${runPath(after)}/comparison${queryString(query)}`),
    cancelEvalRun: (id: string) => call<EvalRunBrief>("POST", `${runPath(id)}/cancel`),
    resumeEvalRun: (id: string, body: EvalRunOrder = {}) =>
      call<EvalRunBrief>("POST", `${runPath(id)}/resume`, { body }),
  };
}
