import type { Cost } from "../../../contracts/amounts.ts";
import type { CostedSums } from "../../../contracts/platform/admin.ts";
import { figureCost, rowCost, usdFigureText, usdText } from "../../parts/text/money.ts";
import { amountTexts } from "../../texts/parts.ts";

type Sums = Pick<CostedSums, "provider_cost_micros" | "unknown_cost_invocations">;

const costOf = ({ provider_cost_micros: micros, unknown_cost_invocations: unknown }: Sums): Cost => ({
  micros,
  unknown,
});

/** The provider's cost of runs, in a row. */
export const costText = (sums: Sums): string => rowCost(costOf(sums));

/** The provider's cost of runs, as a figure. */
export const costFigure = (sums: Sums): string => figureCost(costOf(sums));

export const marginText = (micros: number | null): string =>
  micros === null ? amountTexts.unknown : usdText(micros);

export const marginFigure = (micros: number | null): string =>
  micros === null ? amountTexts.unknown : usdFigureText(micros);

/** The costs of one run together. */
export const runCostText = (...micros: (number | null)[]): string =>
  rowCost({
    micros: micros.reduce<number>((sum, each) => sum + (each ?? 0), 0),
    unknown: micros.filter((each) => each === null).length,
  });
