import type { Static, TSchema } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { EvalOwner, HostedEvalDeps } from "../../evals/hosted/deps.ts";
import type { GatesOf, WatchEval } from "../../evals/hosted/eval-store.ts";
import type { EvalWork } from "../../evals/hosted/eval-work.ts";
import type { BriefRun, EvalRunRow } from "../../evals/hosted/tables.ts";
import type { Call } from "../../http/call.ts";
import { documented, type HookFacts } from "../../http/openapi/documented-hook.ts";
import { callContext } from "../../http/route-plugins.ts";

/** The caller of a request about evals, and what their service does for them. */
export interface EvalCaller<Order> {
  owner: EvalOwner;
  /** Guards and audits changes of evals that release gates require. */
  watch: WatchEval;
  /** Agents whose gates require each eval. */
  gates(): Promise<GatesOf>;
  /** Orders a run, which the service's worker then performs. */
  order(name: string, order: Order): Promise<EvalRunRow>;
}

/** What the routes for evals need of a service. */
export interface EvalService<Order extends TSchema = TSchema> {
  /** Path above `/evals`. */
  prefix: string;
  deps: HostedEvalDeps & { evalWork: EvalWork };
  /** Checks credential, rights and limits of a request, which is made for these facts. */
  callerOf(context: EvalContext): Promise<EvalCaller<Static<Order>>>;
  facts: HookFacts;
  schemas: { order: Order; run: TSchema; detail: TSchema; list: TSchema };
  /** Turns a row into a run as the service shows it. */
  present(row: BriefRun): object;
  /** Descriptions of what differs between services. */
  texts: { deleteEval: string; startEvalRun: string; cancelEvalRun: string };
}

export interface EvalContext {
  request: Request;
  call: Call;
  params: object;
}

/** Guard for the routes of evals; puts `caller` into the context. */
export const evalCredential = <Order extends TSchema>({ callerOf, facts }: EvalService<Order>) =>
  new Elysia().use(callContext()).derive(
    { as: "scoped" },
    documented(async (context: EvalContext) => ({ caller: await callerOf(context) }), facts),
  );
