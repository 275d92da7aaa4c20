import { microsDecimal } from "../../contracts/platform/billing/micros.ts";

/** Formats micros as exact credits: `1.5` for 1,500,000. */
export const credits = (micros: number): string => microsDecimal(micros).replace(/\.?0+$/, "");
