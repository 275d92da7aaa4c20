import { Eta } from "eta/core";
import type { Statement, StatementCharge } from "../../../contracts/platform/billing.ts";
import style from "./statement-page.css" with { type: "text" };
import template from "./statement-page.eta" with { type: "text" };

/** For the page's answer: its own style and nothing else, no script. */
export const statementPageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${new Bun.CryptoHasher("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};

const captions: Record<StatementCharge["type"], string> = {
  cuota: "Fee",
  activacion: "Activation",
  excedente_unidad: "Units over",
  creditos_extra: "Extra credits",
};

/** The statement as one page to print; `name` is what the tenant calls itself. */
export function statementPage(statement: Statement, name: string): string {
  const { credits } = statement;
  const eta = new Eta({ autoEscape: true, varName: "page" });
  return eta.renderString(template, {
    style,
    statement,
    name,
    lines: statement.charges.map(lineOf),
    total: decimal(statement.total_micros),
    credits: {
      used: decimal(credits.used_micros),
      included: decimal(credits.included_micros),
      extra: decimal(credits.extra_micros),
    },
  });
}

function lineOf(charge: StatementCharge) {
  return {
    type: captions[charge.type],
    description: charge.description,
    subscription: charge.subscription_id,
    // Credits over are counted in micros of a credit, all else in whole things.
    quantity: charge.type === "creditos_extra" ? decimal(charge.quantity) : String(charge.quantity),
    unitPrice: decimal(charge.unit_price_micros),
    amount: decimal(charge.amount_micros),
  };
}

/** Micros as a decimal, exactly, with two decimals at least: `1.50`, `0.000001`. */
function decimal(micros: number): string {
  const fraction = String(micros % 1_000_000).padStart(6, "0");
  return `${Math.floor(micros / 1_000_000)}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, "")}`;
}
