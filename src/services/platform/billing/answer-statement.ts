import type { Statement } from "../../../contracts/platform/billing/billing.ts";
import { monthOf } from "../../../kit/utc-calendar.ts";
import type { StoreDeps } from "../tables.ts";
import { readStatement } from "./read-statement.ts";
import { statementCsv } from "./statement-csv.ts";
import { statementPage, statementPageHeaders } from "./statement-page.ts";

export type StatementForm = "json" | "csv" | "html";

const forms: Record<string, StatementForm> = {
  "application/json": "json",
  "text/csv": "csv",
  "text/html": "html",
  "application/xhtml+xml": "html",
};

const acceptCharsMax = 1024;

/** Returns the form that an `Accept` header prefers; JSON if it has no preference. */
export function statementForm(accept: string | null): StatementForm {
  let best: { form: StatementForm; weight: number } = { form: "json", weight: 0 };
  for (const range of (accept ?? "").slice(0, acceptCharsMax).split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const form =
      type === "*/*" || type === "application/*" ? "json" : Object.hasOwn(forms, type) && forms[type];
    const weight = Number(parameters.find((each) => each.startsWith("q="))?.slice(2) ?? 1);
    if (form && weight > best.weight) best = { form, weight };
  }
  return best.form;
}

/** Answers with the statement of a month, by default the current one, in one of its forms. */
export async function answerStatement(
  { storage: { read, tables }, clock }: StoreDeps,
  { tenantId, period, form }: { tenantId: string; period?: string; form: StatementForm },
): Promise<Statement | Response> {
  const now = clock.now();
  const statement = await readStatement(read, tables, { tenantId, month: period ?? monthOf(now) }, now);
  switch (form) {
    case "json":
      return statement;
    case "csv":
      return new Response(statementCsv(statement), {
        headers: {
          "content-type": "text/csv; charset=utf-8",
          "content-disposition": `attachment; filename="statement-${statement.period}-${tenantId}.csv"`,
        },
      });
    case "html":
      return new Response(statementPage(statement), { headers: statementPageHeaders });
  }
}
