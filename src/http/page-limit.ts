import { type TUnsafe, Type } from "@sinclair/typebox";

export interface PageLimits {
  default: number;
  max: number;
}

/**
 * The query parameter `limit` of a list: a whole number, reduced to `max` if larger; anything else is refused. Elysia's own parser would
 * also accept `0x10` and ` 5`.
 */
export function pageLimit(limits: PageLimits): TUnsafe<number> {
  const documented = {
    type: "integer",
    minimum: 1,
    maximum: limits.max,
    default: limits.default,
    description: "How many at most; more than the maximum counts as the maximum.",
  };
  const digits = Type.String({ pattern: "^0*[1-9][0-9]*$", maxLength: 100 });
  // Elysia decodes a query twice, so the decoded value must be valid input.
  const sent = Type.Union([digits, Type.Integer({ minimum: 1 })], {
    documented,
    default: String(limits.default),
    fault: "must be a whole number of at least 1",
  });
  const transform = Type.Transform(sent)
    .Decode((value) => Math.min(Number(value), limits.max))
    .Encode((value) => value);
  // Handlers see the decoded value.
  return transform as unknown as TUnsafe<number>;
}
