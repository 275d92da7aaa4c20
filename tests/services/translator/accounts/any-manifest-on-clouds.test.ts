import { expect, test } from "bun:test";
import fc from "fast-check";
import type { CloudAccount } from "../../../../src/services/translator/accounts/account.ts";
import { AwsAccount } from "../../../../src/services/translator/accounts/aws/aws-account.ts";
import { GoogleAccount } from "../../../../src/services/translator/accounts/gcp/google-account.ts";
import { startAwsStandIn } from "../../../support/aws-stand-in.ts";
import { cloudPorts } from "../../../support/cloud-ports.ts";
import { startGcpStandIn } from "../../../support/gcp-stand-in.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";
import { startTranslator } from "../../../support/translator.ts";

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const side = fc.subarray([
  { type: "pii_detection" },
  { type: "topic_filter", topics: ["law", "medicine"] },
  { type: "content_filter", keywords: ["one", "two"] },
  { type: "prompt_injection" },
]);

/** Sections of an agent, each there or not. */
const anySpec = fc.record(
  {
    identity: fc.record({ display_name: word, description: word }, { requiredKeys: [] }),
    prompts: fc.record({ system: word }),
    model: fc.record({
      primary: fc.record({
        provider: fc.constant("openai"),
        model: word,
        parameters: fc.record(
          { temperature: fc.constantFrom(0, 0.5), stop: fc.constant(["END"]) },
          { requiredKeys: [] },
        ),
      }),
    }),
    orchestration: fc.record({ pattern: fc.constantFrom("react", "pipeline") }),
    tools: fc.subarray([
      { name: "one", type: "client", parameters: { type: "object" } },
      { name: "two", type: "client", parameters: { type: "object" } },
    ]),
    memory: fc.record({ semantic: fc.constant({ max_results: 3 }) }),
    guardrails: fc.record({ input: side, output: side }, { requiredKeys: [] }),
    observability: fc.record({ tracing: fc.boolean() }),
  },
  { requiredKeys: [] },
);
const labels = fc.dictionary(fc.constantFrom("team", "tier", "spec"), word);

const clouds: [string, () => AsyncDisposable & { account: CloudAccount }][] = [
  [
    "Google Cloud",
    () => {
      const cloud = startGcpStandIn();
      const account = new GoogleAccount("prod", cloud.settings, cloudPorts());
      return { account, [Symbol.asyncDispose]: () => cloud[Symbol.asyncDispose]() };
    },
  ],
  [
    "Amazon Web Services",
    () => {
      const cloud = startAwsStandIn();
      const account = new AwsAccount("prod", cloud.settings, cloudPorts());
      return { account, [Symbol.asyncDispose]: () => cloud[Symbol.asyncDispose]() };
    },
  ],
];

test.each(clouds)(
  "on %s, the plan is empty after any manifest, and after another in its place",
  async (_, start) => {
    await using cloud = start();
    await using translator = await startTranslator(sqliteEngine, () => [cloud.account]);
    const { call, submit } = translator;
    const manifest = fc.record({
      apiVersion: fc.constant("platform/v1"),
      kind: fc.constant("Agent"),
      metadata: fc.record({ name: fc.constant("any"), labels }),
      spec: anySpec,
    });
    await fc.assert(
      fc.asyncProperty(manifest, manifest, async (first, second) => {
        for (const one of [first, second]) {
          const path = await submit(JSON.stringify(one));
          const { status, body } = await call("POST", `${path}/reconcile`);
          expect([status, body.message]).toEqual([200, undefined]);
          expect((await call("POST", `${path}/plan`)).body.changes).toEqual([]);
        }
      }),
      { numRuns: 12, seed: 20_261_123 },
    );
    expect((await call("DELETE", "/v1/specs/Agent/any?cascade=true")).status).toBe(200);
  },
  120_000,
);
