import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import type { CloudAccount } from "../../../../src/services/translator/accounts/account.ts";
import type { LocalAccount } from "../../../../src/services/translator/accounts/local/local-account.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";
import { agentYaml, startTranslator } from "../../../support/translator.ts";

const specs = 500;

/** The embedded account, of whose calls every third fails: before its work, or after it. */
function faultyAccount(local: LocalAccount, faults: { isOn: boolean }): CloudAccount {
  let calls = 0;
  async function during<Result>(work: () => Promise<Result>): Promise<Result> {
    calls++;
    if (!faults.isOn || calls % 3 !== 0) return work();
    if (calls % 2 === 0) await work();
    throw new AppError("upstream_failed", "account_failed", "Injected.");
  }
  return {
    name: "local",
    provider: "gcp",
    driver: "embedded",
    observe: (spec) => local.observe(spec),
    create: (spec, resource) => during(() => local.create(spec, resource)),
    update: (spec, id, resource) => during(() => local.update(spec, id, resource)),
    delete: (spec, held) => during(() => local.delete(spec, { ...held, config: {} })),
  };
}

test("500 specs reconciled at once, with failures, all become as wanted: nothing twice, nothing lost", async () => {
  const faults = { isOn: true };
  await using translator = await startTranslator(sqliteEngine, (local) => [faultyAccount(local, faults)]);
  const { call, submit } = translator;
  const paths: string[] = [];
  for (let number = 0; number < specs; number++) paths.push(await submit(agentYaml(`agent-${number}`)));
  const round = () => Promise.all(paths.map((path) => call("POST", `${path}/reconcile`)));
  const first = await round();
  const statuses = new Set(first.map(({ status }) => status));
  expect([...statuses].sort()).toEqual([200, 502]);
  expect(first.filter(({ status }) => status === 502).length).toBeGreaterThan(specs / 6);
  faults.isOn = false;
  expect(new Set((await round()).map(({ status }) => status))).toEqual(new Set([200]));
  const held: { name: string }[] = [];
  for (let next: string | undefined = ""; next !== undefined; ) {
    const page = await call("GET", `/v1/accounts/local/resources?limit=200${next && `&cursor=${next}`}`);
    held.push(...page.body.resources);
    next = page.body.next_cursor;
  }
  expect(held.map(({ name }) => name).sort()).toEqual(paths.map((_, number) => `agent-${number}`).sort());
  const plans = await Promise.all(paths.map((path) => call("POST", `${path}/plan`)));
  expect(plans.flatMap(({ body }) => body.changes)).toEqual([]);
  expect(await translator.deps.storage.read.select().from(translator.deps.storage.tables.reconciles)).toEqual(
    [],
  );
});
