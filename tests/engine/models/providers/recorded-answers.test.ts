import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import type { Server } from "bun";
import fc from "fast-check";
import type { Model, ModelRequest } from "../../../../src/engine/models/model.ts";
import type { ProviderFetch } from "../../../../src/engine/models/providers/provider-kind.ts";
import { findProviderKind } from "../../../../src/engine/models/providers/registry.ts";
import { newId } from "../../../../src/kit/id.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { type Answer, readAnswer } from "../../../support/read-answer.ts";
import { requestOf } from "../../../support/scripted-model.ts";
import {
  type RecordedAnswer,
  recordedAnswers,
  recordedParts,
  recordedText,
  recordedType,
} from "./recorded-answers.ts";

/*
 * Answers in the forms of vendors' documents, read by the real readers: unchanged over a real socket, then mangled in every way in which a
 * network or a careless proxy may mangle them.
 */

const weather = {
  name: "weather",
  description: "",
  parameters: { type: "object", properties: { city: { type: "string" } } },
};
const requestFor = ({ file }: RecordedAnswer): ModelRequest => ({
  ...requestOf("How is the weather?"),
  tools: [weather],
  stream: !file.endsWith(".json"),
});

function modelAt(kind: string, endpoint: string, fetchLike: ProviderFetch = fetch): Model {
  const model = findProviderKind(kind)?.build(
    { provider: "p", model: "m", endpoint, apiKey: "key", parameters: {}, timeoutMs: 60_000 },
    { fetch: fetchLike, clock: new FakeClock(), newId },
  );
  if (!model) throw new Error(`no provider ${kind}`);
  return model;
}

/** Reads an answer whose body arrives in these chunks. */
function readChunks(
  recorded: RecordedAnswer,
  chunks: readonly Uint8Array[],
  type = recordedType(recorded.file),
): Promise<Answer> {
  let at = 0;
  const body = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = chunks[at++];
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
    });
  const model = modelAt(recorded.kind, `http://vendor.example${recorded.path ?? ""}`, async () => {
    return new Response(body(), { headers: { "content-type": type } });
  });
  return readAnswer(model, requestFor(recorded));
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const readText = (recorded: RecordedAnswer, text: string) => readChunks(recorded, [bytesOf(text)]);

/** Returns the comparable parts of an answer, without generated ids. */
function gist({ text, calls, end, failure }: Answer) {
  return {
    text,
    calls: calls.map(({ name, input, unparsable }) => ({ name, input, unparsable })),
    finish: end?.finish,
    usage: end?.usage ?? failure?.usage,
    echo:
      end?.echo?.content === undefined
        ? undefined
        : JSON.stringify(end.echo.content).replace(/call_[0-9a-f-]{36}/g, ""),
    failure: failure?.failure,
  };
}

/** Checks that an answer has no more than the vendor sent: pieces of its text, and calls and an end only if it is whole. */
function expectSane(answer: Answer): void {
  const { text, calls, end, failure } = answer;
  expect(typeof text).toBe("string");
  expect((end === undefined) !== (failure === undefined)).toBe(true);
  if (failure) {
    expect(calls).toEqual([]);
    expect(failure.message).toStartWith("p/m ");
    return;
  }
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  for (const { id, name, input } of calls)
    expect([id !== "", name !== "", typeof input]).toEqual([true, true, "object"]);
  const { inputTokens, outputTokens, cachedTokens } = end?.usage ?? {};
  expect([Number.isSafeInteger(inputTokens), Number.isSafeInteger(outputTokens)]).toEqual([true, true]);
  expect(cachedTokens).toBeLessThanOrEqual(inputTokens ?? 0);
}

const rows = recordedAnswers.map((recorded): [string, RecordedAnswer] => [recorded.file, recorded]);
const streams = rows.filter(([file]) => !file.endsWith(".json"));

test("every fixture is played, and says what it was written from", () => {
  const files = readdirSync(new URL("./fixtures/", import.meta.url), { recursive: true, encoding: "utf8" });
  expect(files.filter((file) => file.includes(".")).sort()).toEqual(rows.map(([file]) => file).sort());
  for (const [, { source }] of rows) expect(source).not.toBe("");
});

describe("as the vendor sends it", () => {
  let server: Server<undefined>;
  beforeAll(() => {
    server = Bun.serve({
      port: 0,
      fetch: (request) => {
        const file = new URL(request.url).searchParams.get("file") ?? "";
        return new Response(recordedText(file), { headers: { "content-type": recordedType(file) } });
      },
    });
  });
  afterAll(() => server.stop(true));

  test.each(rows)("%s", async (file, recorded) => {
    const query = `?file=${encodeURIComponent(file)}`;
    const model = modelAt(recorded.kind, `http://127.0.0.1:${server.port}${recorded.path ?? "/"}${query}`);
    const answer = await readAnswer(model, requestFor(recorded));
    expectSane(answer);
    expect(answer.text).toBe(recorded.text);
    expect(answer.calls).toMatchObject((recorded.calls ?? []).map((call) => ({ ...call, name: "weather" })));
    if (recorded.failure !== undefined) {
      expect(answer.failure?.failure).toBe(recorded.failure);
      if (recorded.usage) expect(answer.failure?.usage).toMatchObject(recorded.usage);
      return;
    }
    expect(answer.end?.finish).toBe(recorded.finish ?? "stop");
    expect(answer.end?.usage).toMatchObject({ estimated: recorded.usage === undefined, ...recorded.usage });
    expect(answer.end?.echo?.content).toEqual(recorded.echo);
  });
});

describe("the calls of one answer stay one turn, and the echo is sent with them", () => {
  test.each(rows.filter(([, { calls, failure }]) => calls !== undefined && failure === undefined))(
    "%s",
    async (_file, recorded) => {
      const bodies: string[] = [];
      const model = modelAt(
        recorded.kind,
        `http://vendor.example${recorded.path ?? ""}`,
        async (_url, init) => {
          bodies.push(String(init.body));
          return new Response(recordedText(recorded.file), {
            headers: { "content-type": recordedType(recorded.file) },
          });
        },
      );
      const first = await readAnswer(model, requestFor(recorded));
      const { text, calls, end } = first;
      const base = requestFor(recorded);
      await readAnswer(model, {
        ...base,
        messages: [
          ...base.messages,
          { role: "assistant", content: text, toolCalls: calls, ...(end?.echo && { echo: end.echo }) },
          ...calls.map(({ id, name }) => ({ role: "tool" as const, callId: id, name, content: "sunny" })),
        ],
      });
      const body = JSON.parse(bodies[1] ?? "") as Record<"messages" | "input", Record<string, unknown>[]>;
      if (recorded.path !== undefined) {
        const kinds = body.input.map(({ type, call_id }) =>
          `${String(type)} ${String(call_id ?? "")}`.trim(),
        );
        expect(kinds.slice(1)).toEqual([
          "reasoning",
          "function_call call_a",
          "reasoning",
          "function_call call_b",
          "function_call_output call_a",
          "function_call_output call_b",
        ]);
        return;
      }
      const assistants = body.messages.filter(({ role }) => role === "assistant");
      expect(assistants).toHaveLength(1);
      const sent = JSON.stringify(assistants[0]);
      for (const { input } of recorded.calls ?? []) {
        const city = "city" in input ? String(input.city) : "weather";
        expect(sent).toContain(city);
      }
      if (Array.isArray(recorded.echo)) expect(assistants[0]?.content).toEqual(recorded.echo);
      else
        for (const [field, thought] of Object.entries(recorded.echo ?? {})) {
          if (thought !== "") expect(assistants[0]?.[field]).toEqual(thought);
        }
      // Another model gets none of it.
      const stranger = findProviderKind(recorded.kind)?.build(
        {
          provider: "p",
          model: "other",
          endpoint: "http://vendor.example",
          apiKey: "k",
          parameters: {},
          timeoutMs: 1000,
        },
        {
          fetch: async (_url, init) => {
            bodies.push(String(init.body));
            return new Response("{}");
          },
          clock: new FakeClock(),
          newId,
        },
      );
      if (stranger) {
        await readAnswer(stranger, {
          ...base,
          messages: [
            ...base.messages,
            { role: "assistant", content: text, toolCalls: calls, ...(end?.echo && { echo: end.echo }) },
          ],
        });
      }
      expect(bodies.at(-1)).not.toMatch(/reasoning|thinking|tool_plan|signature/);
    },
  );
});

describe("framed otherwise, the same comes out:", () => {
  const framings: [name: string, frame: (file: string, text: string) => string][] = [
    ["with the line ends of Windows", (_file, text) => text.replaceAll("\n", "\r\n")],
    ["behind a byte order mark", (_file, text) => `\uFEFF${text}`],
    ["without its last line feed", (_file, text) => text.trimEnd()],
    ["with blank lines around", (_file, text) => `\n\n${text}\n\n`],
    [
      "with comments and ids",
      (file, text) =>
        file.endsWith(".sse") ? text.replaceAll("data:", ": hold on\nid: 1\nretry: 10\ndata:") : text,
    ],
    [
      "with names of events",
      (file, text) => (file.endsWith(".sse") ? text.replaceAll("data:", "event: chunk\ndata:") : text),
    ],
    ["without names of events", (_file, text) => text.replace(/^event: .*\n/gm, "")],
    ["without spaces after colons", (_file, text) => text.replace(/^(data|event): /gm, "$1:")],
  ];
  describe.each(framings)("%s", (_name, frame) => {
    test.each(streams)("%s", async (file, recorded) => {
      const expected = gist(await readText(recorded, recordedText(file)));
      expect(gist(await readText(recorded, frame(file, recordedText(file))))).toEqual(expected);
    });
  });

  test.each(streams)("%s, cut in two anywhere, and byte by byte", async (file, recorded) => {
    const bytes = bytesOf(recordedText(file));
    const expected = gist(await readChunks(recorded, [bytes]));
    for (let at = 1; at < bytes.length; at += 1 + (at % 3)) {
      expect(gist(await readChunks(recorded, [bytes.subarray(0, at), bytes.subarray(at)]))).toEqual(expected);
    }
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(gist(await readChunks(recorded, single))).toEqual(expected);
  });

  test.each(streams)("%s, in chunks of any sizes", async (file, recorded) => {
    const bytes = bytesOf(recordedText(file));
    const expected = gist(await readChunks(recorded, [bytes]));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), async (sizes) => {
        const chunks: Uint8Array[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(gist(await readChunks(recorded, chunks))).toEqual(expected);
      }),
      { numRuns: 20, seed: 1 },
    );
  });

  test.each(rows)("%s under a content type that says nothing", async (file, recorded) => {
    if (file.endsWith(".json")) return;
    const expected = gist(await readText(recorded, recordedText(file)));
    for (const type of ["text/plain", "application/octet-stream", ""]) {
      expect(gist(await readChunks(recorded, [bytesOf(recordedText(file))], type))).toEqual(expected);
    }
  });
});

describe("mangled, it is a failure of a known class or a sane answer:", () => {
  /** Returns the JSON of every part, changed; comments and `[DONE]` stay. */
  const changed = (file: string, change: (value: Record<string, unknown>) => unknown) =>
    recordedParts(file)
      .map((part) => part.replace(/\{.*\}/, (json) => JSON.stringify(change(JSON.parse(json)))))
      .join("");

  const withoutKeys = (...names: string[]) => {
    const clean = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(clean);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value).flatMap(([key, inner]) => (names.includes(key) ? [] : [[key, clean(inner)]])),
      );
    };
    return clean as (value: Record<string, unknown>) => unknown;
  };
  const everywhere = (names: string[], put: unknown) => {
    const walk = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(walk);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, names.includes(key) ? put : walk(inner)]),
      );
    };
    return walk as (value: Record<string, unknown>) => unknown;
  };

  test.each(streams)("%s, cut after each of its parts", async (file, recorded) => {
    const parts = recordedParts(file);
    const whole = await readText(recorded, parts.join(""));
    for (let count = 0; count < parts.length; count++) {
      const cut = await readText(recorded, parts.slice(0, count).join(""));
      expectSane(cut);
      expect(whole.text.startsWith(cut.text)).toBe(true);
      if (cut.failure && recorded.failure === undefined)
        expect(cut.failure.failure).toMatch(/unusable|content_refused/);
      // An answer that was cut before its finish reason must not count as whole.
      if (!cut.failure && recorded.failure === undefined) expect(cut.text).toBe(whole.text);
    }
  });

  test.each(streams)("%s, with parts left out, doubled and swapped", async (file, recorded) => {
    const parts = recordedParts(file);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(parts.length - 1), { maxLength: parts.length * 2 }), async (order) => {
        expectSane(await readText(recorded, order.map((at) => parts[at]).join("")));
      }),
      { numRuns: 60, seed: 2 },
    );
  });

  test.each(rows)("%s, with bytes that are none of UTF-8, and others", async (file, recorded) => {
    const bytes = bytesOf(recordedText(file));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        async (changes) => {
          const mangled = bytes.slice();
          for (const [at, byte] of changes) mangled[at] = byte;
          expectSane(await readChunks(recorded, [mangled]));
        },
      ),
      { numRuns: 60, seed: 3 },
    );
  });

  test.each(streams)("%s, without usage", async (file, recorded) => {
    const answer = await readText(
      recorded,
      changed(file, withoutKeys("usage", "x_groq", "prompt_eval_count", "eval_count")),
    );
    expectSane(answer);
    if (answer.end) expect(answer.end.usage.estimated).toBe(true);
    if (recorded.failure === undefined) expect(answer.text).toBe(recorded.text);
  });

  test.each(streams)("%s, with usage that makes no sense", async (file, recorded) => {
    const counts = [
      "prompt_tokens",
      "completion_tokens",
      "cached_tokens",
      "input_tokens",
      "output_tokens",
      "cache_read_input_tokens",
      "prompt_eval_count",
      "eval_count",
    ];
    for (const nonsense of [-1, 1.5, "12", null, 1e300, {}]) {
      expectSane(await readText(recorded, changed(file, everywhere(counts, nonsense))));
    }
    expectSane(await readText(recorded, changed(file, everywhere(["usage"], [1]))));
  });

  test.each(streams)("%s, with an unknown reason to stop", async (file, recorded) => {
    const reasons = ["finish_reason", "stop_reason", "done_reason", "reason"];
    const answer = await readText(
      recorded,
      changed(file, (value) =>
        JSON.parse(JSON.stringify(value), (key, inner: unknown) =>
          reasons.includes(key) && typeof inner === "string" ? "novelty" : inner,
        ),
      ),
    );
    expectSane(answer);
    if (recorded.failure === undefined && answer.end) {
      // The Responses API says with a status that the answer is not whole, whatever the reason.
      const isCut = recorded.path !== undefined && recorded.finish === "length";
      const whole = recorded.calls === undefined ? "stop" : "tool_calls";
      expect(answer.end.finish).toBe(isCut ? "length" : whole);
    }
  });

  test.each(streams)("%s, with values of other types everywhere", async (file, recorded) => {
    const keys = [
      "content",
      "delta",
      "message",
      "choices",
      "tool_calls",
      "function",
      "arguments",
      "id",
      "index",
      "text",
      "thinking",
      "partial_json",
      "content_block",
      "signature",
      "name",
      "type",
      "finish_reason",
      "usage",
      "error",
    ];
    for (const key of keys) {
      for (const put of [null, 0, "", "x", [], [null], {}, true]) {
        expectSane(await readText(recorded, changed(file, everywhere([key], put))));
      }
    }
  });

  test.each(rows.filter(([, { calls }]) => (calls?.length ?? 0) > 1))(
    "%s, with one id for all of its calls",
    async (file, recorded) => {
      const text = recordedText(file).replace(
        /("id": ?")(call_|toolu_|chatcmpl-tool-|weather_|D681PevKs|a1B2c3D4e)[^"]*"/g,
        '$1same"',
      );
      const answer = await readText(recorded, text);
      expectSane(answer);
      expect(answer.failure).toBeUndefined();
      expect(answer.calls.map(({ input }) => input)).toEqual(
        (recorded.calls ?? []).map(({ input }) => input),
      );
    },
  );

  test.each(rows.filter(([, { calls }]) => calls !== undefined))(
    "%s, with arguments that are no JSON",
    async (file, recorded) => {
      const text = recordedText(file).replaceAll("Lima", 'Li\\\\"\\"ma');
      const answer = await readText(recorded, text);
      expectSane(answer);
      for (const call of answer.calls) if (call.unparsable !== undefined) expect(call.input).toEqual({});
    },
  );

  test.each(rows.filter(([, { calls }]) => calls !== undefined))(
    "%s, with arguments of 1 MiB",
    async (file, recorded) => {
      const long = "L".repeat(1024 * 1024);
      const answer = await readText(recorded, recordedText(file).replaceAll("ma", `ma${long}`));
      expectSane(answer);
      // A stream of the Responses API has each argument four times.
      if (answer.failure) expect(answer.failure.message).toMatch(/1 MiB|16 MiB/);
      else expect(JSON.stringify(answer.calls).length).toBeGreaterThan(long.length);
    },
  );

  test.each(rows)("%s, as a web page, as one JSON text, or as a stream", async (file, recorded) => {
    const bytes = bytesOf(recordedText(file));
    const page = await readChunks(recorded, [bytes], "text/html");
    expect(page.failure?.failure).toBe("unusable");
    for (const type of [
      "application/json",
      "text/event-stream",
      "application/x-ndjson",
      "application/problem+json",
    ]) {
      expectSane(await readChunks(recorded, [bytes], type));
    }
  });

  const errors: [kind: string, body: unknown][] = [
    ["openai", { error: { message: "down", type: "server_error" } }],
    ["openai", { error: "down" }],
    ["openai", { object: "error", message: "down", code: 500 }],
    ["hf_tgi", { error: "Model is overloaded", error_type: "overloaded" }],
    ["mistral", { object: "error", message: { detail: [] }, code: "3000" }],
    ["anthropic", { type: "error", error: { type: "api_error", message: "down" } }],
    ["cohere", { message: "internal server error" }],
    ["ollama", { error: "down" }],
  ];
  test.each(errors)("%s: an error with status 200, whole and in a stream", async (kind, body) => {
    const json = JSON.stringify(body);
    const whole: RecordedAnswer = { file: "error.json", kind, source: "", text: "" };
    const stream = { ...whole, file: kind === "ollama" ? "error.ndjson" : "error.sse" };
    const event = kind === "ollama" ? `${json}\n` : `event: error\ndata: ${json}\n\n`;
    for (const answer of [await readText(whole, json), await readText(stream, event)]) {
      expectSane(answer);
      expect(answer.failure?.failure).toBeOneOf(["unreachable", "unusable", "auth"]);
    }
  });
});
