import { Eta } from "eta/core";
import { creditsText, usdTotalText } from "../../../contracts/amounts.ts";
import type { Statement, StatementCharge } from "../../../contracts/platform/billing/billing.ts";
import { printedCharge } from "../../../contracts/platform/billing/printed-amounts.ts";
import style from "./statement-page.css" with { type: "text" };
import template from "./statement-page.eta" with { type: "text" };

/** Headers of a page for printing. Its policy allows its own style and nothing else, no script. */
export const printedPageHeaders = (css: string) => ({
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${new Bun.CryptoHasher("sha256").update(css).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
});

export const statementPageHeaders = printedPageHeaders(style);

export const chargeCaptions: Record<StatementCharge["type"], string> = {
  cuota: "Fee",
  activacion: "Activation",
  excedente_unidad: "Units over",
  creditos_extra: "Extra credits",
  recarga: "Top-up",
  ajuste: "Adjustment",
};

/** Renders the statement as one page for printing, with every line in full and the total in cents. */
export function statementPage(statement: Statement): string {
  const eta = new Eta({ autoEscape: true, varName: "page" });
  return eta.renderString(template, {
    style,
    statement,
    lines: statement.charges.map((charge) => ({
      type: chargeCaptions[charge.type],
      description: charge.description,
      subscription: charge.subscription_id,
      ...printedCharge(charge, statement.period),
    })),
    total: usdTotalText(statement.total_micros),
    credits: statement.credits.by_plan.map((plan) => ({
      plan: plan.plan_name,
      subscription: plan.subscription_id,
      used: creditsText(plan.used_micros),
      included: creditsText(plan.included_micros),
      granted: creditsText(plan.granted_micros),
      extra: creditsText(plan.extra_micros),
    })),
    grants: statement.credits.grants.map((grant) => ({
      reason: grant.reason,
      expires: grant.expires_at?.slice(0, 10) ?? "never",
      opening: creditsText(grant.opening_micros),
      used: creditsText(grant.used_micros),
      left: creditsText(grant.left_micros),
      expired: creditsText(grant.expired_micros),
    })),
  });
}
