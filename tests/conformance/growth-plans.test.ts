import { describe, expect, test } from "bun:test";
import { daemonGrowth } from "../../scripts/bench/growth/daemon.ts";
import type { Place } from "../../scripts/bench/growth/fill.ts";
import { gatewayGrowth } from "../../scripts/bench/growth/gateway.ts";
import { platformGrowth } from "../../scripts/bench/growth/platform.ts";
import { plansOf } from "../support/query-plans.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const services: Readonly<
  Record<
    string,
    (
      place: Place,
      rows: number,
    ) => Promise<{
      storage: { close(): Promise<void> };
      asked: Readonly<Record<string, () => Promise<unknown>>>;
    }>
  >
> = { daemon: daemonGrowth, gateway: gatewayGrowth, platform: platformGrowth };

/** Tables that may be read whole, and the reason. */
const small: Readonly<Record<string, string>> = {
  run_fact_edge: "one row",
  outbox_sums: "a row for each tenant, channel, status and day: for operators of all tenants",
  tenants: "the operator's usage names each tenant",
  subscriptions: "the operator's revenue has each subscription",
  subscription_plans: "the tenant has no subscription, so the condition is false",
  credit_counters: "the tenant has no subscription, so the condition is false",
  usage_counters: "the tenant has no subscription, so the condition is false",
};

describe.each(Object.entries(services))("the lists and sums of the %s", (name, grow) => {
  test("read no table from its beginning to its end", async () => {
    using folder = temporaryFolder();
    const { storage, asked } = await grow({ folder: folder.path }, 600);
    const faults: string[] = [];
    for (const [what, ask] of Object.entries(asked)) {
      const plans = await plansOf(ask, ["select", "with"]);
      expect([what, plans.length]).not.toEqual([what, 0]);
      for (const { steps } of plans)
        for (const step of steps) {
          const table = /^SCAN (\w+)$/.exec(step)?.[1];
          if (table !== undefined && small[table] === undefined) faults.push(`${name}: ${what}: ${table}`);
        }
    }
    expect(faults).toEqual([]);
    await storage.close();
  });
});
