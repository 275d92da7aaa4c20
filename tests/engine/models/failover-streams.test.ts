import { expect, test } from "bun:test";
import fc from "fast-check";
import { createBreakers } from "../../../src/engine/models/breakers.ts";
import { ModelFailure } from "../../../src/engine/models/model-failure.ts";
import { plainDialect } from "../../../src/engine/models/providers/openai/dialect.ts";
import { openAiKind } from "../../../src/engine/models/providers/openai/openai-kind.ts";
import { createRouter } from "../../../src/engine/models/router.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { streamEvents } from "../../support/model-server.ts";
import { requestOf, scriptedModel } from "../../support/scripted-model.ts";

const kind = openAiKind({
  name: "openai",
  docs: "",
  local: false,
  needsEndpoint: true,
  needsKey: false,
  contextWindow: 8000,
  dialect: plainDialect,
});

/** A response whose body breaks after `bytesBefore` bytes, in chunks of `chunkBytes`. */
function breakingResponse(bytes: Uint8Array, bytesBefore: number, chunkBytes: number): Response {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytesBefore) return controller.error(new Error("connection reset"));
      const end = Math.min(at + chunkBytes, bytesBefore);
      controller.enqueue(bytes.slice(at, end));
      at = end;
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

test("a stream that breaks anywhere ends in a failure, or in the fallback's answer before the first token; no token comes twice", async () => {
  const seen = { whole: 0, broken: 0, fallback: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 1, max: 200 }),
      async (pieces, percent, chunkBytes) => {
        const clock = new FakeClock();
        const bytes = new TextEncoder().encode(streamEvents({ text: pieces }).join(""));
        const primary = kind.build(
          {
            provider: "one",
            model: "m",
            endpoint: "http://one.example/v1",
            parameters: {},
            timeoutMs: 1000,
          },
          {
            clock,
            newId: () => "id",
            fetch: async () =>
              breakingResponse(bytes, Math.round((percent / 100) * bytes.length), chunkBytes),
          },
        );
        const router = createRouter({
          candidates: [primary, scriptedModel({ provider: "two" }, ["from the fallback"])],
          strategy: "quality_first",
          breakers: createBreakers(clock),
          clock,
        });
        const chosen: string[] = [];
        let said = "";
        let failed = false;
        try {
          for await (const event of router.call(requestOf("hi"), new AbortController().signal)) {
            if (event.type === "chosen") chosen.push(event.provider);
            if (event.type === "text") said += event.text;
          }
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ModelFailure);
          failed = true;
        }
        const full = pieces.join("");
        expect(chosen).toHaveLength(1);
        if (chosen[0] === "two") {
          expect([said, failed]).toEqual(["from the fallback", false]);
          seen.fallback++;
        } else if (failed) {
          expect(full.startsWith(said) && said !== "").toBe(true);
          seen.broken++;
        } else {
          expect(said).toBe(full);
          seen.whole++;
        }
        expect(clock.pending).toBe(0);
      },
    ),
    { numRuns: 500, seed: 1 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10);
});
