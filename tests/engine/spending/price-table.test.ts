import { describe, expect, test } from "bun:test";
import { shippedPrices, tablePrice } from "../../../src/engine/spending/price-table.ts";
import { type PricesFile, pricesFileKind } from "../../../src/manifest/files/prices-file.ts";
import { checkDocument } from "../../../src/manifest/schema/manifest-kind.ts";

const table: PricesFile = {
  vendors: {
    acme: {
      source: "a page",
      taken: "2026-01",
      hosts: ["api.acme.example", "eu.acme.example"],
      models: {
        big: { in: 2, out: 8, cached: 1 },
        "big-2025-01-01": { in: 5, out: 9 },
        "toString-latest": { in: 1, out: 1 },
        long: { in: 3, out: 3, up_to: 200_000 },
      },
    },
  },
};

const priceOf = (model: string, endpoint?: string, contextWindow = 128_000) =>
  tablePrice(table, { model, contextWindow, ...(endpoint === undefined ? {} : { endpoint }) });

describe("a table gives", () => {
  const acme = "https://api.acme.example/v1";
  const big = { in: 2, out: 8, cached: 1 };
  test.each<[string, string, string | undefined, object | undefined]>([
    ["a listed model its price", "big", acme, big],
    ["the same at another of the vendor's hosts", "big", "https://eu.acme.example", big],
    ["a snapshot its model's", "big-2026-03-31", acme, big],
    ["a snapshot of the other form its model's", "big-20260331", acme, big],
    ["the alias of the latest its model's", "big-latest", acme, big],
    ["a snapshot that is listed its own", "big-2025-01-01", acme, { in: 5, out: 9 }],
    ["another model none", "bigger", acme, undefined],
    ["a version that is not a snapshot none", "big-2411", acme, undefined],
    ["a name of every object's none", "toString", acme, undefined],
    ["a proxy that speaks the protocol none", "big", "https://proxy.example/api.acme.example", undefined],
    ["a host that only ends like the vendor's none", "big", "https://evil-api.acme.example", undefined],
    ["a model in this process none", "big", undefined, undefined],
  ])("%s", (_, model, endpoint, price) => {
    expect(priceOf(model, endpoint)).toEqual(price as never);
  });
  test("a price that holds up to a length only where no more is read", () => {
    expect(priceOf("long", acme, 200_000)).toEqual({ in: 3, out: 3 });
    expect(priceOf("long", acme, 200_001)).toBeUndefined();
  });
});

describe("the table that is shipped", () => {
  test("is a prices.yaml like any other", () => {
    expect(checkDocument(pricesFileKind, shippedPrices)).not.toHaveProperty("problems");
  });
  test("no answer is cheaper than its question, and nothing is free", () => {
    for (const { models } of Object.values(shippedPrices.vendors)) {
      for (const price of Object.values(models)) {
        expect(price.in).toBeGreaterThan(0);
        expect(price.out).toBeGreaterThanOrEqual(price.in);
        expect(price.cached ?? 0).toBeLessThan(price.in);
        expect(price.written ?? price.in).toBeGreaterThanOrEqual(price.in);
      }
    }
  });
  test.each([
    ["https://api.openai.com/v1", "gpt-4o-2024-08-06", { in: 2500, out: 10_000, cached: 1250 }],
    ["https://api.openai.com/v1", "gpt-4o-2024-05-13", { in: 5000, out: 15_000 }],
    [
      "https://api.anthropic.com/",
      "claude-haiku-4-5-20251001",
      { in: 1000, out: 5000, cached: 100, written: 1250 },
    ],
    ["https://api.cohere.com/", "command-r7b-12-2024", { in: 37.5, out: 150 }],
  ])("%s %s", (endpoint, model, price) => {
    expect(tablePrice(shippedPrices, { endpoint, model, contextWindow: 128_000 })).toEqual(price);
  });
});
