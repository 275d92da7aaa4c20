import { type Static, Type } from "@sinclair/typebox";
import type { ManifestKind } from "../schema/manifest-kind.ts";
import { closed, list, mapping, number, text, whole } from "../schema/schema-vocabulary.ts";

const price = (description: string) => number(0, 1_000_000_000_000, { description });

const modelPrice = closed({
  in: price("Input tokens."),
  out: price("Output tokens."),
  cached: Type.Optional(price("Input tokens read from the vendor's cache; absent: as `in`.")),
  written: Type.Optional(price("Input tokens written to the vendor's cache; absent: as `in`.")),
  audio_in: Type.Optional(price("Sound that is read; absent: as `in`.")),
  audio_out: Type.Optional(price("Sound that is made; absent: as `out`.")),
  up_to: Type.Optional(
    whole(1, 100_000_000, {
      description:
        "The price holds for requests up to this many tokens; a model that may read more has none. Absent: any.",
    }),
  ),
});

const vendor = closed({
  source: text(500, { description: "Where the prices stand." }),
  taken: Type.String({
    pattern: "^[0-9]{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?$",
    expects: "a day (2026-01-31) or a month (2026-01)",
    description: "When they were read there.",
  }),
  hosts: list(
    Type.String({
      pattern: "^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$",
      expects: "a host's name in lower case, such as api.openai.com",
    }),
    32,
    { description: "The vendor's own servers: models called anywhere else don't have these prices." },
  ),
  models: mapping(modelPrice, {
    description:
      "Price of 1000 tokens per model, in millionths of a US dollar. A dated snapshot (`-2026-01-31`, `-20260131`) or `-latest` that isn't listed itself has the price of its model.",
  }),
});

/** The schema of prices.yaml. */
export const PricesFileSchema = closed(
  {
    note: Type.Optional(text(10_000, { description: "For people." })),
    vendors: mapping(vendor, { description: "The vendors by any name.", default: {} }),
  },
  {
    title: "prices.yaml",
    description:
      "What hosted models cost. It replaces the table that Argosy brings, as a whole; `prices` of an entry of providers.yaml go before both.",
  },
);

export type PricesFile = Static<typeof PricesFileSchema>;

export const pricesFileKind: ManifestKind<PricesFile> = {
  id: "prices",
  schema: PricesFileSchema,
  rules({ vendors }, report) {
    const known = new Map<string, string>();
    for (const [name, { hosts }] of Object.entries(vendors)) {
      for (const [index, host] of hosts.entries()) {
        const other = known.get(host);
        if (other !== undefined) report(["vendors", name, "hosts", index], `belongs to ${other} already`);
        known.set(host, name);
      }
    }
  },
};
