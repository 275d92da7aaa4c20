import type { RuntimeRun } from "../../../../src/contracts/runtime/runs.ts";
import { WorkerGroup } from "../../../../src/kit/worker.ts";
import type { CloudDeps } from "../../../../src/services/cloud/deps.ts";
import { evalRunWorker } from "../../../../src/services/cloud/evals/ask-candidate.ts";
import { type CloudPerson, startCloud, type TestCloud } from "../../../support/cloud.ts";
import type { Answer } from "../../../support/daemon.ts";
import { type EvalDocument, resultOf } from "../../../support/hosted-evals.ts";
import { ended } from "../../../support/staged-runtime.ts";
import type { TestEngine } from "../../../support/storage-engines.ts";

/** A cloud whose worker performs runs of evals, with the owner of an org. Its runtime answers what `answers` returns for a run. */
export interface CloudWithEvals extends TestCloud {
  owner: CloudPerson;
  answers(next: (run: RuntimeRun) => string | Promise<string>): void;
  /** Calls a path below the org as its owner. */
  as(method: string, path: string, body?: unknown, person?: CloudPerson): Promise<Answer>;
  /** Orders a run and returns it when it has ended. */
  runToEnd(name: string, order?: object): Promise<Answer["body"]>;
}

export async function cloudWithEvals(
  engine: TestEngine,
  change?: (deps: CloudDeps) => CloudDeps,
): Promise<CloudWithEvals> {
  const cloud = await startCloud(engine, change);
  const group = new WorkerGroup([evalRunWorker(cloud.deps)], { ...cloud.deps, random: Math.random });
  group.start();
  let answer: (run: RuntimeRun) => string | Promise<string> = ({ query }) => query.toUpperCase();
  cloud.runtime.plays(async function* (run) {
    yield ended({ result: resultOf(await answer(run as RuntimeRun), (run as RuntimeRun).session_id) });
  });
  const owner = await cloud.login("ada@example.com");
  const as: CloudWithEvals["as"] = (method, path, body, person = owner) =>
    cloud.call(method, `${owner.org}${path}`, {
      headers: person.headers,
      ...(body !== undefined && { body }),
    });
  return {
    ...cloud,
    owner,
    as,
    answers(next) {
      answer = next;
    },
    async runToEnd(name, order = {}) {
      const { status, body } = await as("POST", `/evals/${name}/runs`, order);
      if (status !== 202) throw new Error(`The order is ${status}: ${JSON.stringify(body)}`);
      for (;;) {
        const run = await as("GET", `/eval-runs/${body.id}`);
        if (run.body.ended_at !== null) return run.body;
      }
    },
    async [Symbol.asyncDispose]() {
      await group.stop(0);
      await cloud[Symbol.asyncDispose]();
    },
  };
}

/** Stores an eval; throws if it is refused. */
export async function putEval(cloud: CloudWithEvals, document: EvalDocument): Promise<Answer["body"]> {
  const { status, body } = await cloud.as("PUT", `/evals/${document.metadata.name}`, document);
  if (status !== 200) throw new Error(`The eval is ${status}: ${JSON.stringify(body)}`);
  return body;
}
