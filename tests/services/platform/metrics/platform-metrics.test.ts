import { expect, test } from "bun:test";
import { createPlatformMetrics } from "../../../../src/services/platform/metrics/platform-metrics.ts";
import { asOperator } from "../../../support/platform.ts";
import { type PlatformWithAgent, platformWithAgent } from "../../../support/platform-agent.ts";
import { ended } from "../../../support/staged-runtime.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";

const path = "/api/v1/agents/support/run";
const run = ({ call, owner }: PlatformWithAgent) =>
  call("POST", path, { headers: owner.asProgram, body: { query: "hi" } });

/** Returns the platform's own metrics now, without their comments. */
async function scraped(platform: PlatformWithAgent): Promise<string[]> {
  const answer = await platform.call("GET", "/metrics", { headers: asOperator });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toContain("version=0.0.4");
  return answer.text.split("\n").filter((line) => !line.startsWith("#") && line !== "");
}

test("runs are counted by how they ended, with what they were charged", async () => {
  await using platform = await platformWithAgent(sqliteEngine, { rate: 1000 });
  const { body } = await run(platform);
  platform.runtime.plays(async function* () {
    yield ended({ outcome: "error", error: { code: "provider_failed", status: 502, message: "no" } });
  });
  await run(platform);
  const lines = await scraped(platform);
  expect(body.credits_charged_micros).toBeGreaterThan(0);
  expect(lines).toContain('platform_invocations_total{status="ok"} 1');
  expect(lines).toContain('platform_invocations_total{status="error"} 1');
  expect(lines).toContain(`platform_credits_charged_micros_total ${body.credits_charged_micros}`);
  expect(lines).toContain("platform_invocations_in_flight 0");
  expect(lines.join("\n")).not.toContain(platform.owner.id);
});

test("a running run is in flight, and one that admission refuses with 429 is counted by its code", async () => {
  await using platform = await platformWithAgent(sqliteEngine, { plan: { maxConcurrency: 1 } });
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  platform.runtime.plays(async function* () {
    begun.resolve();
    await go.promise;
    yield ended({});
  });
  const first = run(platform);
  await begun.promise;
  const refused = await run(platform);
  expect(refused.status).toBe(429);
  const lines = await scraped(platform);
  expect(lines).toContain("platform_invocations_in_flight 1");
  expect(lines).toContain(`platform_admission_refusals_total{code="${refused.body.error}"} 1`);
  go.resolve();
  await first;
  expect(await scraped(platform)).toContain("platform_invocations_in_flight 0");
});

test("is 401 or more for everyone but operators", async () => {
  await using platform = await platformWithAgent(sqliteEngine);
  for (const headers of [{}, platform.owner.asProgram, platform.owner.asPerson]) {
    const { status, text } = await platform.call("GET", "/metrics", { headers });
    expect(status).toBeGreaterThanOrEqual(401);
    expect(text).not.toContain("platform_invocations");
  }
});

test("workers are shown with their failures", async () => {
  const { registry, periodClosed, runsSwept } = createPlatformMetrics(() => [
    { name: "interrupted-runs", status: "running", failures: 0 },
    { name: "billing-closing", status: "waiting", failures: 2 },
  ]);
  periodClosed("closed");
  periodClosed("failed");
  runsSwept(3);
  const text = registry.text();
  for (const line of [
    'platform_worker_running{worker="interrupted-runs"} 1',
    'platform_worker_running{worker="billing-closing"} 0',
    'platform_worker_failures{worker="billing-closing"} 2',
    'platform_billing_periods_total{outcome="closed"} 1',
    'platform_billing_periods_total{outcome="failed"} 1',
    "platform_invocations_swept_total 3",
  ])
    expect(text).toContain(line);
});
