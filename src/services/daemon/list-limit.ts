import { AppError } from "../../kit/app-error.ts";

/** The `limit` of a list: above the maximum it is cut, below 1 or not a number it is refused. */
export function listLimit(text: string | undefined, bounds: { default: number; max: number }): number {
  if (text === undefined) return bounds.default;
  if (!/^\d{1,15}$/.test(text) || Number(text) < 1) {
    throw new AppError("invalid", "invalid_request", "`limit` must be a whole number of at least 1.", {
      details: { problems: [{ path: "limit", message: "must be a whole number of at least 1" }] },
    });
  }
  return Math.min(Number(text), bounds.max);
}
