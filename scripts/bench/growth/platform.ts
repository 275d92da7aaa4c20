import { systemClock } from "../../../src/kit/clock.ts";
import { newId } from "../../../src/kit/id.ts";
import { monthOf } from "../../../src/kit/utc-calendar.ts";
import { listAgentHealth } from "../../../src/services/platform/admin/list-agents.ts";
import { listInvocations } from "../../../src/services/platform/admin/list-invocations.ts";
import { listTenants } from "../../../src/services/platform/admin/list-tenants.ts";
import { readPlatformUsage } from "../../../src/services/platform/admin/read-platform-usage.ts";
import { readTenant } from "../../../src/services/platform/admin/read-tenant.ts";
import { listAgents } from "../../../src/services/platform/agents/store.ts";
import { migrations } from "../../../src/services/platform/migrations.gen.ts";
import { defaultPlanId } from "../../../src/services/platform/plans/default-plan.ts";
import { tables } from "../../../src/services/platform/tables.ts";
import {
  listAgentInvocations,
  listTenantInvocations,
} from "../../../src/services/platform/usage/list-invocations.ts";
import { readAgentMetrics } from "../../../src/services/platform/usage/observe-agent.ts";
import { readDailyUsage } from "../../../src/services/platform/usage/read-daily-usage.ts";
import { readUsage } from "../../../src/services/platform/usage/read-usage.ts";
import { numbered, openFilled, type Place } from "./fill.ts";

const id = (number: string, kind: string) => numbered(kind, number);

/** Usage of the platform: `rows` invocations in 180 days, four fifths of them of one of 100 tenants. */
export async function platformGrowth(place: Place, rows: number) {
  const now = systemClock.now();
  const at = `(${now.getTime()} - (${rows} - i) * ${Math.floor((180 * 86_400_000) / rows)})`;
  const tenantNumber = "(case when i % 5 = 0 then (i / 5) % 99 + 1 else 0 end)";
  const agentNumber = `(${tenantNumber} * 20 + i % 20)`;
  const storage = await openFilled(place, {
    service: "platform",
    tables,
    migrations,
    rows: {
      users: {
        count: 1,
        columns: {
          id: "'u'",
          email: "'u@example.com'",
          display_name: "'U'",
          password_hash: "'x'",
          role: "'user'",
          created_at: "0",
        },
      },
      tenants: {
        count: 100,
        columns: {
          id: id("i", "t"),
          user_id: "'u'",
          cr_name: "'t' || i",
          display_name: "'Tenant ' || i",
          created_at: String(now.getTime() - 180 * 86_400_000),
        },
      },
      plans: {
        count: 1,
        columns: {
          id: `'${defaultPlanId}'`,
          name: "'Plan'",
          min_fee_micros: "0",
          activation_price_micros: "0",
          included_credits_micros: "0",
          extra_credit_price_micros: "0",
          spec: "'{\"features\":{}}'",
          created_at: "0",
        },
      },
      tenant_members: {
        count: 100,
        columns: { tenant_id: id("i", "t"), user_id: "'u'", role: "'owner'", joined_at: "0" },
      },
      agents: {
        count: 2000,
        columns: {
          tenant_id: id("i / 20", "t"),
          id: id("i", "a"),
          name: "'agent' || i",
          current_version: "1",
          created_at: "0",
          updated_at: "0",
        },
      },
      invocations: {
        count: rows,
        columns: {
          tenant_id: id(tenantNumber, "t"),
          id: id("i", "r"),
          agent_id: id(agentNumber, "a"),
          agent_name: `'agent' || ${agentNumber}`,
          agent_version: "1",
          status: "case when i % 20 = 0 then 'error' else 'ok' end",
          session_id: "'s' || (i % 5000)",
          count: "1",
          admitted_at: at,
          ended_at: at,
          month: {
            sqlite: `strftime('%Y-%m', ${at} / 1000, 'unixepoch')`,
            postgres: `to_char(to_timestamp(${at} / 1000), 'YYYY-MM')`,
          },
          held_micros: "1000",
          held_tokens: "1000",
          charged_micros: "10",
          overrun_micros: "0",
          provider_cost_micros: "5",
          infra_cost_micros: "1",
          pricing_status: "'priced'",
          usage_estimated: "0",
          tokens_in: "100",
          tokens_out: "20",
          by_model: `'[{"provider":"openai","model":"gpt-' || (i % 4) || '","role":"primary","tokens_in":100,"tokens_out":20,"tokens_cached":0}]'`,
          attributed: "1",
        },
      },
    },
  });
  const deps = { storage, clock: systemClock, newId };
  const actor = { tenantId: `t${"0".repeat(24)}` } as never;
  const period = monthOf(now);
  const page = { limit: 50 } as never;
  const runtime = { traceTexts: async () => new Map() };
  const runs = (more: object, tenant?: string) =>
    listInvocations(
      { ...deps, runtime } as never,
      { actor: "token" } as never,
      { ...more, ...(tenant && { tenant_id: tenant }) },
      page,
    );
  const tenantId = `t${"0".repeat(24)}`;
  return {
    storage,
    asked: {
      "first page of a tenant's agents": () =>
        listAgents(storage.read, storage.tables, tenantId, { before: undefined, limit: 51 }),
      "runs of a tenant": () => listTenantInvocations({ ...deps, runtime } as never, actor, page),
      "runs of an agent": () => listAgentInvocations({ ...deps, runtime } as never, actor, "agent3", page),
      "runs of a tenant that someone judged": () =>
        listTenantInvocations({ ...deps, runtime } as never, actor, {
          ...(page as object),
          feedback: "down",
        } as never),
      "operator: runs": () => runs({}),
      "operator: runs of an agent": () => runs({ agent_id: `a${"0".repeat(23)}3` }),
      "operator: runs of an agent, in a tenant": () => runs({ agent_id: `a${"0".repeat(23)}3` }, tenantId),
      "operator: runs with a rare status": () => runs({ status: "interrupted" }),
      "operator: unpriced runs": () => runs({ pricing_status: "unpriced" }),
      "operator: runs with a rare status, in a tenant": () => runs({ status: "interrupted" }, tenantId),
      "operator: unpriced runs of a month": () => runs({ pricing_status: "unpriced", period }),
      "operator: runs that someone judged": () => runs({ feedback: "down" }),
      "usage of a tenant": () => readUsage(deps, actor, period),
      "usage by day": () => readDailyUsage(deps, actor, period),
      "usage by day, of a month without runs": () => readDailyUsage(deps, actor, "2001-01"),
      "metrics of an agent": () => readAgentMetrics(deps, actor, "agent3", period),
      "operator: tenants": () => listTenants(deps, period, page),
      "operator: one tenant": () => readTenant(deps, `t${"0".repeat(24)}`, period),
      "operator: agents": () => listAgentHealth(deps, { period, tenantId: undefined }, page),
      "operator: usage": () => readPlatformUsage(deps, period),
    } satisfies Record<string, () => Promise<unknown>>,
  };
}
