import { Option } from "commander";
import { costText, creditsText } from "../../contracts/amounts.ts";
import {
  type AttributedCosts,
  attributionCsv,
  attributions,
  type CostAttribution,
  type UsageAttribution,
} from "../../contracts/platform/attribution.ts";
import type { CommandCall } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";

export const byOption = () =>
  new Option("--by <split>", "split by key, member or model").choices(attributions);

type Row = UsageAttribution["rows"][number] & Partial<CostAttribution["rows"][number]>;

/** Prints a split month. */
export function printAttribution(
  { screen }: CommandCall,
  report: UsageAttribution | CostAttribution,
  asCsv: boolean,
): ExitCode {
  const { by, period, rows, others, total, complete } = report;
  const hasCosts = "provider_cost_micros" in total;
  const hasTenants = hasCosts && by !== "model";
  if (screen.json) screen.document(asCsv ? { form: "csv", text: attributionCsv(report) } : report);
  else if (asCsv) screen.write(attributionCsv(report));
  else if (rows.length === 0) screen.say(`No runs ended in ${period}.`);
  else {
    const lines: Row[] = [
      ...rows,
      ...(others === null ? [] : [{ id: null, name: "others", ...others }]),
      { id: null, name: "total", ...total },
    ];
    screen.table(
      [
        by.toUpperCase(),
        ...(hasTenants ? ["TENANT"] : []),
        ...["RUNS", "TOKENS", "CREDITS"],
        ...(hasCosts ? ["COST"] : []),
      ],
      lines.map((row) => [
        paint("bold", row.name),
        ...(hasTenants ? [row.tenant_name ?? ""] : []),
        String(row.invocations),
        String(row.tokens_in + row.tokens_out),
        creditsText(row.credits_charged_micros),
        ...(hasCosts ? [costText(costOf(row))] : []),
      ]),
    );
    if (!complete) screen.say("Runs from before the upgrade are still being added.");
  }
  return exitCodes.ok;
}

const costOf = ({ provider_cost_micros = 0, unknown_cost_invocations = 0 }: Partial<AttributedCosts>) => ({
  micros: provider_cost_micros,
  unknown: unknown_cost_invocations,
});
