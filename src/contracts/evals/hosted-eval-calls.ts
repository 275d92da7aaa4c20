import { segment, withQuery } from "../paths.ts";
import type { CallBody } from "../service-call.ts";
import { ifMatch, taggedJson } from "../tagged.ts";
import type { HostedEvalDetail, HostedEvalList, HostedEvalResults, HostedEvalRun } from "./hosted-evals.ts";

/** Filter and page of a list of runs. */
export interface EvalRunQuery {
  eval?: string;
  agent?: string;
  checksum?: string;
  limit?: number;
  cursor?: string;
}

export interface EvalResultQuery {
  limit?: number;
  offset?: number;
  passed?: boolean;
}

/**
 * Methods for the evals that a service stores. `base` is the path above `/evals`; `Order`, `Run` and `Detail` are the service's own.
 */
export function hostedEvalCalls<Order extends object, Run extends HostedEvalRun, Detail extends Run>(
  raw: (method: string, path: string, call?: CallBody) => Promise<Response>,
  base: string,
) {
  const json = async <T>(method: string, path: string, call?: CallBody) =>
    (await (await raw(method, path, call)).json()) as T;
  const evals = `${base}/evals`;
  const evalPath = (name: string) => `${evals}/${segment(name)}`;
  const runPath = (id: string) => `${base}/eval-runs/${segment(id)}`;
  return {
    listEvals: () => json<HostedEvalList>("GET", evals),
    getEval: (name: string) => json<HostedEvalDetail>("GET", evalPath(name)),
    readEval: async (name: string) => taggedJson<HostedEvalDetail>(await raw("GET", evalPath(name))),
    /**
     * Creates or replaces an eval; an object is sent as JSON, a text as YAML. `match`: refuses with 412 unless it still has this tag.
     */
    putEval: (name: string, document: object | string, { match }: { match?: string | undefined } = {}) =>
      json<HostedEvalDetail>("PUT", evalPath(name), {
        ...(typeof document === "string" ? { text: document, type: "application/yaml" } : { body: document }),
        headers: ifMatch(match),
      }),
    deleteEval: async (name: string) => void (await raw("DELETE", evalPath(name))),
    /** Orders a run, which goes on in the background. */
    startEvalRun: (name: string, order: Order) =>
      json<Run>("POST", `${evalPath(name)}/runs`, { body: order }),
    listEvalRuns: (page: EvalRunQuery = {}) =>
      json<{ runs: Run[]; next_cursor?: string }>("GET", withQuery(`${base}/eval-runs`, page)),
    getEvalRun: (id: string) => json<Detail>("GET", runPath(id)),
    listEvalResults: (id: string, page: EvalResultQuery = {}) =>
      json<HostedEvalResults>("GET", withQuery(`${runPath(id)}/results`, page)),
    cancelEvalRun: (id: string) => json<Detail>("POST", `${runPath(id)}/cancel`),
  };
}

/** The methods of `hostedEvalCalls`, whatever the service. */
export type HostedEvalCalls<
  Order extends object = object,
  Run extends HostedEvalRun = HostedEvalRun,
  Detail extends Run = Run,
> = ReturnType<typeof hostedEvalCalls<Order, Run, Detail>>;
