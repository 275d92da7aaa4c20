import type { SQL } from "bun";
import { newId } from "../../src/kit/id.ts";
import { defaultPlanId } from "../../src/services/platform/plans/default-plan.ts";

/** The transaction of an admission written by hand: its queries and writes, without any decisions. */
export function rawAdmission(connection: SQL, tenant: string, id: string, now: Date): Promise<unknown> {
  const month = now.toISOString().slice(0, 7);
  const minute = new Date(Math.floor(now.getTime() / 60_000) * 60_000);
  const until = new Date(now.getTime() + 180_000);
  return connection.begin("isolation level read committed", async (tx) => {
    const addToCounter = (heldMicros: number) => tx`
      insert into platform.credit_counters
        (tenant_id, scope, month, charged_micros, held_micros, cancelled_cost_micros)
      values (${tenant}, 'tenant', ${month}, 0, ${heldMicros}, 0)
      on conflict (tenant_id, scope, month)
      do update set held_micros = platform.credit_counters.held_micros + excluded.held_micros
      returning charged_micros, held_micros, cancelled_cost_micros`;
    await addToCounter(0);
    await tx`
      select * from platform.plans where id = coalesce((
        select plan_id from platform.tenant_plans where tenant_id = ${tenant} and since <= ${now}
        order by since desc limit 1), ${defaultPlanId})`;
    await tx`
      select count(*) from platform.invocations where tenant_id = ${tenant} and status = 'in_progress'`;
    await tx`
      select * from platform.tariffs where provider = 'lab' and model = 'test-model' and effective_from <= ${now}
      order by effective_from desc limit 1`;
    await tx`
      insert into platform.rate_windows (tenant_id, scope, minute, attempts)
      values (${tenant}, 'tenant', ${minute}, 1)
      on conflict (tenant_id, scope, minute)
      do update set attempts = platform.rate_windows.attempts + 1 returning attempts`;
    await addToCounter(64_000);
    await tx`
      insert into platform.invocations (tenant_id, id, agent_id, agent_name, agent_version, status, session_id,
        count, admitted_at, month, plan_id, held_micros, held_tokens, charged_micros, overrun_micros,
        provider_cost_micros, infra_cost_micros, usage_estimated, tokens_in, tokens_out, by_model, owner, held_until)
      values (${tenant}, ${id}, 'a1', 'support', 1, 'in_progress', 's', 1, ${now}, ${month}, ${defaultPlanId},
        64000, 64000, 0, 0, 0, 0, false, 0, 0, '[]', 'p1', ${until})`;
    await tx`
      insert into platform.run_tokens (hash, tenant_id, invocation_id, reach, expires_at)
      values (${newId()}, ${tenant}, ${id}, '{}', ${until})`;
  });
}
