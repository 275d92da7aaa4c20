import type { RuntimeRun } from "../../../../src/contracts/runtime/runs.ts";
import { WorkerGroup } from "../../../../src/kit/worker.ts";
import { evalRunWorker } from "../../../../src/services/platform/evals/ask-candidate.ts";
import type { Answer } from "../../../support/daemon.ts";
import { type EvalDocument, resultOf } from "../../../support/hosted-evals.ts";
import { ended } from "../../../support/staged-runtime.ts";
import type { TestEngine } from "../../../support/storage-engines.ts";
import { asOwner, type PlatformWithOwner, platformWithOwner } from "../agents/sent-spec.ts";

/** A platform whose worker performs runs of evals. Its runtime answers with what `answers` returns for a run. */
export type PlatformWithEvals = PlatformWithOwner & {
  answers(next: (run: RuntimeRun) => string | Promise<string>): void;
};

export async function platformWithEvals(
  engine: TestEngine,
  change?: Parameters<typeof platformWithOwner>[1],
): Promise<PlatformWithEvals> {
  const platform = await platformWithOwner(engine, change);
  const group = new WorkerGroup([evalRunWorker(platform.deps)], platform.deps);
  group.start();
  let answer: (run: RuntimeRun) => string | Promise<string> = ({ query }) => query.toUpperCase();
  platform.runtime.plays(async function* (run) {
    yield ended({ result: resultOf(await answer(run as RuntimeRun), (run as RuntimeRun).session_id) });
  });
  return {
    ...platform,
    answers(next) {
      answer = next;
    },
    async [Symbol.asyncDispose]() {
      await group.stop(0);
      await platform[Symbol.asyncDispose]();
    },
  };
}

/** Stores an eval; throws if it is refused. */
export async function putEval(platform: PlatformWithOwner, document: EvalDocument): Promise<Answer["body"]> {
  const { status, body } = await sendEval(platform, document);
  if (status !== 200) throw new Error(`The eval is ${status}: ${JSON.stringify(body)}`);
  return body;
}

export const sendEval = (platform: PlatformWithOwner, document: EvalDocument) =>
  asOwner(platform, "PUT", `/api/v1/evals/${document.metadata.name}`, { body: document });

export const orderRun = (platform: PlatformWithOwner, name: string, order: object = {}) =>
  asOwner(platform, "POST", `/api/v1/evals/${name}/runs`, { body: order });

/** Orders a run and returns it when it has ended. */
export async function runToEnd(
  platform: PlatformWithOwner,
  name: string,
  order: object = {},
): Promise<Answer["body"]> {
  const { status, body } = await orderRun(platform, name, order);
  if (status !== 202) throw new Error(`The order is ${status}: ${JSON.stringify(body)}`);
  return endOf(platform, body.id);
}

/** Returns a run when it has ended. */
export async function endOf(platform: PlatformWithOwner, id: string): Promise<Answer["body"]> {
  for (;;) {
    const { body } = await asOwner(platform, "GET", `/api/v1/eval-runs/${id}`);
    if (body.ended_at !== null) return body;
  }
}
