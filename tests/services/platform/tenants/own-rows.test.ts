import { expect, test } from "bun:test";
import { evalOf } from "../../../support/hosted-evals.ts";
import { startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";

import { onEachEngine } from "../../../support/storage-engines.ts";
import { specOf } from "../agents/sent-spec.ts";

/** The lists of a tenant, and its agent. */
const read = [
  "agents",
  "agents/support",
  "agents/support/versions",
  "invocations",
  "agents/support/metrics",
  "approvals",
  "connections",
  "evals",
  "eval-runs",
  "usage",
  "statement",
] as const;

/** Gives a tenant one row of each kind. Both tenants of the test use the same names. */
async function fill(platform: TestPlatform, { asProgram }: TestTenant): Promise<void> {
  const send = async (method: string, path: string, body: unknown) => {
    const { status, text } = await platform.call(method, `/api/v1/${path}`, { headers: asProgram, body });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  };
  await send("POST", "agents", specOf("support"));
  await send("POST", "agents/support/run", { query: "hi" });
  await send("PUT", "evals/greets", evalOf("greets", ["hello"]));
  await send("POST", "evals/greets/runs", {});
}

onEachEngine("what a tenant reads", (engine) => {
  test("is the same before and after another tenant gets rows of every kind under the same names", async () => {
    await using platform = await startPlatform(engine);
    const [ada, bob] = [await platform.tenant(), await platform.tenant()];
    await fill(platform, ada);
    await platform.clock.advance(1000);
    const seen = async () => {
      const answers = [];
      for (const path of read) {
        const { status, body } = await platform.call("GET", `/api/v1/${path}`, { headers: ada.asProgram });
        answers.push({ path, status, body });
      }
      return answers;
    };
    const before = await seen();
    expect(before.map(({ path, status }) => `${path} ${status}`)).toEqual(read.map((path) => `${path} 200`));
    await fill(platform, bob);
    expect(await seen()).toEqual(before);
    // The later of two rows with one name is found too.
    const { body } = await platform.call("GET", "/api/v1/agents/support", { headers: bob.asProgram });
    expect(body.created_at).toBe(platform.clock.now().toISOString());
  });
});
