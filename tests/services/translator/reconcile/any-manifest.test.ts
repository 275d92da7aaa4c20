import { expect, test } from "bun:test";
import fc from "fast-check";
import type { CloudAccount } from "../../../../src/services/translator/accounts/account.ts";
import type { LocalAccount } from "../../../../src/services/translator/accounts/local/local-account.ts";
import { resumeReconciles } from "../../../../src/services/translator/workers.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";
import { handbookYaml, startTranslator, type TestTranslator } from "../../../support/translator.ts";

const word = fc.stringMatching(/^[a-z]{1,8}$/);

/** Sections of an agent, each there or not. */
const anySpec = fc.record(
  {
    identity: fc.record({ display_name: word, description: word }, { requiredKeys: [] }),
    prompts: fc.record({ system: word }),
    orchestration: fc.record({ pattern: fc.constantFrom("react", "pipeline") }),
    tools: fc.uniqueArray(
      fc.record({ name: word, type: fc.constant("client"), parameters: fc.constant({ type: "object" }) }),
      { maxLength: 3, selector: ({ name }) => name },
    ),
    memory: fc.record({ semantic: fc.constant({ max_results: 3 }) }),
    knowledge: fc.record({ pipeline: fc.constant("handbook"), top_k: fc.integer({ min: 1, max: 9 }) }),
    guardrails: fc.record(
      { input: fc.constant([{ type: "pii_detection" }]), output: fc.constant([{ type: "pii_redaction" }]) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

// JSON is YAML.
const manifestOf = (spec: object) =>
  JSON.stringify({ apiVersion: "platform/v1", kind: "Agent", metadata: { name: "any" }, spec });

/** What the account holds for the agent, without ids and times. */
async function heldBy({ call }: TestTranslator): Promise<unknown> {
  const { resources } = (await call("GET", "/v1/accounts/local/resources")).body as {
    resources: { id: string; spec: string; resource_type: string; name: string; config: unknown }[];
  };
  const idless = (value: unknown) =>
    JSON.parse(
      resources.reduce((text, { id, name }) => text.replaceAll(id, name), JSON.stringify(value)),
    ) as unknown;
  return resources
    .map(({ spec, resource_type, name, config }) => ({ spec, resource_type, name, config: idless(config) }))
    .sort((one, other) => (one.resource_type < other.resource_type ? -1 : 1));
}

async function apply(translator: TestTranslator, spec: object): Promise<void> {
  const path = await translator.submit(manifestOf(spec));
  expect((await translator.call("POST", `${path}/reconcile`)).status).toBe(200);
  expect((await translator.call("POST", `${path}/plan`)).body.changes).toEqual([]);
  expect((await translator.call("GET", `${path}/drift`)).body.drifted).toBe(false);
}

async function startWithHandbook(accountsOf?: (local: LocalAccount) => readonly CloudAccount[]) {
  const translator = await startTranslator(sqliteEngine, accountsOf);
  await translator.call("POST", `${await translator.submit(handbookYaml)}/reconcile`);
  return translator;
}

test("after a reconcile the plan is empty, and one manifest after another is like the other alone", async () => {
  await fc.assert(
    fc.asyncProperty(anySpec, anySpec, async (first, second) => {
      await using both = await startWithHandbook();
      await apply(both, first);
      await apply(both, second);
      await using alone = await startWithHandbook();
      await apply(alone, second);
      expect(await heldBy(both)).toEqual((await heldBy(alone)) as never);
    }),
    { numRuns: 15, seed: 20_260_310 },
  );
});

/** Ends the process at one of the next calls: before the call has done its work, or right after. */
class Ending {
  #left = Number.POSITIVE_INFINITY;
  readonly isAfter: boolean;
  end = () => {};

  constructor(isAfter: boolean) {
    this.isAfter = isAfter;
  }

  atCall(number: number): void {
    this.#left = number;
  }

  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#left--;
    if (this.#left !== 0) return work();
    if (this.isAfter) await work();
    this.end();
    throw new Error("the process ended here");
  }
}

const endingAccount = (local: LocalAccount, ending: Ending): CloudAccount => ({
  name: "local",
  provider: "gcp",
  driver: "embedded",
  observe: (spec) => local.observe(spec),
  create: (spec, resource) => ending.during(() => local.create(spec, resource)),
  update: (spec, id, resource) => ending.during(() => local.update(spec, id, resource)),
  delete: (spec, held) => ending.during(() => local.delete(spec, { ...held, config: {} })),
});

test("a process that ends at any step is caught up by the next one", async () => {
  await fc.assert(
    fc.asyncProperty(
      anySpec,
      anySpec,
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      async (first, second, call, isAfter) => {
        const ending = new Ending(isAfter);
        await using broken = await startWithHandbook((local) => [endingAccount(local, ending)]);
        ending.end = broken.stop;
        await apply(broken, first);
        const path = await broken.submit(manifestOf(second));
        ending.atCall(call);
        await broken.call("POST", `${path}/reconcile`);
        ending.atCall(Number.POSITIVE_INFINITY);
        await resumeReconciles({ ...broken.deps, stopping: new AbortController().signal });
        await using alone = await startWithHandbook();
        await apply(alone, second);
        expect(await heldBy(broken)).toEqual((await heldBy(alone)) as never);
        expect((await broken.call("GET", `${path}/drift`)).body.drifted).toBe(false);
      },
    ),
    { numRuns: 20, seed: 20_260_311 },
  );
});
