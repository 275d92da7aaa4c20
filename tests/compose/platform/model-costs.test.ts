import { expect, test } from "bun:test";
import { modelCosts } from "../../../src/compose/platform/model-costs.ts";

const prices = {
  vendors: {
    openai: {
      source: "s",
      taken: "2026-06",
      hosts: ["api.openai.com"],
      models: {
        mini: { in: 37.5, out: 1500.12345, cached: 3.75 },
        wide: { in: 1, out: 2, up_to: 1000 },
        plain: { in: 4, out: 5 },
      },
    },
  },
};
const providers = {
  providers: {
    mine: { type: "openai", endpoint: "https://llm.example.com/v1", prices: { mini: { in: 1, out: 2 } } },
    hosted: { type: "openai", prices: {} },
  },
};

test.each([
  ["openai", "mini", { in: 37.5, out: 1500.123, cached_in: 3.75 }],
  ["openai", "plain", { in: 4, out: 5, cached_in: null }],
  ["hosted", "mini-2026-01-31", { in: 37.5, out: 1500.123, cached_in: 3.75 }],
  ["mine", "mini", { in: 1, out: 2, cached_in: null }],
  ["openai", "wide", { in: 1, out: 2, cached_in: null }],
  // Another server with the vendor's protocol, models and providers that nobody knows.
  ["mine", "plain", null],
  ["openai", "constructor", null],
  ["__proto__", "mini", null],
])("the cost of %s/%s is %p", (provider, model, expected) => {
  expect(modelCosts({ providers, prices } as never)(provider, model)).toEqual(expected);
});
