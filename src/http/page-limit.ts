import { type TUnsafe, Type } from "@sinclair/typebox";

export interface PageLimits {
  default: number;
  max: number;
}

/**
 * The query parameter `limit` of a list: a whole number, cut to `max`; anything else is refused. Elysia's own reading of
 * numbers would take `0x10` and ` 5` too.
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
  // Elysia decodes a query twice, so what comes out must be allowed in.
  const sent = Type.Union([digits, Type.Integer({ minimum: 1 })], {
    documented,
    default: String(limits.default),
    fault: "must be a whole number of at least 1",
  });
  const transform = Type.Transform(sent)
    .Decode((value) => Math.min(Number(value), limits.max))
    .Encode((value) => value);
  // Handlers see what decoding made of it.
  return transform as unknown as TUnsafe<number>;
}
