import { and, gte, ne } from "drizzle-orm";
import type { Tariff, TariffInput } from "../../../contracts/platform/billing/tariffs.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { canonicalProvider } from "../../../engine/models/providers/registry.ts";
import { readInstant } from "../../../http/read-instant.ts";
import { AppError } from "../../../kit/app-error.ts";
import { monthOf } from "../../../kit/utc-calendar.ts";
import type { Operator } from "../auth/credentials.ts";
import type { StoreDeps } from "../tables.ts";
import { presentTariff } from "./present-tariff.ts";
import { ratesRow, type TariffTables } from "./schema.ts";

/**
 * Stores a tariff that is in force from `effective_from`, by default now. Throws 409 `period_closed` if it would apply to a closed period,
 * 409 `tariff_exists` if the model has a tariff for the same instant.
 */
export async function fileTariff(
  { storage, clock, newId }: StoreDeps,
  { actor }: Operator,
  input: TariffInput,
  requestId: string,
): Promise<Tariff> {
  const { tables } = storage;
  const { billingPeriods, tariffs } = tables;
  return storage.transact(async (tx) => {
    const now = clock.now();
    const effectiveFrom = readInstant("effective_from", input.effective_from) ?? now;
    requireNames(input);
    requireStorable(input);
    const [closed] = await tx
      .select({ month: billingPeriods.month })
      .from(billingPeriods)
      .where(and(ne(billingPeriods.status, "open"), gte(billingPeriods.month, monthOf(effectiveFrom))))
      .limit(1);
    if (closed !== undefined) {
      throw new AppError(
        "conflict",
        "period_closed",
        `The period ${closed.month} is closed; a tariff can't begin before its end.`,
      );
    }
    const [row] = await tx
      .insert(tariffs)
      .values(rowOf(input, { id: newId(), effectiveFrom, createdAt: now }))
      .onConflictDoNothing()
      .returning();
    if (row === undefined) {
      throw new AppError(
        "conflict",
        "tariff_exists",
        "A tariff of this model already begins at that instant.",
      );
    }
    const detail = { provider: row.provider, model: row.model, effective_from: effectiveFrom.toISOString() };
    await writeAudit({ storage, newId }, tx, now, {
      ownerId: null,
      actor,
      action: "tariff.file",
      subject: row.id,
      detail,
      requestId,
    });
    return presentTariff(row);
  });
}

function rowOf(
  input: TariffInput,
  own: Pick<TariffTables["tariffs"]["$inferSelect"], "id" | "effectiveFrom" | "createdAt">,
): TariffTables["tariffs"]["$inferSelect"] {
  return {
    ...own,
    provider: canonicalProvider(input.provider),
    model: input.model.trim(),
    ...ratesRow({
      creditsPer1kIn: input.credits_per_1k_in_micros,
      creditsPer1kOut: input.credits_per_1k_out_micros,
      creditsPer1kCached: input.credits_per_1k_cached_in_micros ?? null,
      providerCostPer1kIn: input.provider_cost_per_1k_in_micros ?? null,
      providerCostPer1kOut: input.provider_cost_per_1k_out_micros ?? null,
      providerCostPer1kCached: input.provider_cost_per_1k_cached_in_micros ?? null,
    }),
    infraCostPerSecond: input.infra_cost_per_second_micros ?? null,
    own: input.own ?? false,
  };
}

function requireNames({ provider, model }: TariffInput): void {
  for (const [path, name] of Object.entries({ provider, model })) {
    if (name.trim() !== "" && !controlCharacter.test(name)) continue;
    const message = "must be a name without control characters";
    throw new AppError("invalid", "invalid_request", `The tariff is not valid: ${path} ${message}.`, {
      details: { problems: [{ path, message }] },
    });
  }
}

const controlCharacter = /\p{Cc}/u;

/** Rates have at most three decimals: thousandths of a micro. */
function requireStorable(input: TariffInput): void {
  for (const [path, rate] of Object.entries(input)) {
    if (typeof rate !== "number" || /^\d+(\.\d{1,3})?$/.test(String(rate))) continue;
    const message = `must have at most 3 decimals, got ${rate}`;
    throw new AppError("invalid", "invalid_request", `The tariff is not valid: ${path} ${message}.`, {
      details: { problems: [{ path, message }] },
    });
  }
}
