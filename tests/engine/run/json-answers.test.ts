import { describe, expect, test } from "bun:test";
import { type StageOptions, says, stage } from "../../support/staged-run.ts";

const filter = (action: string) => ({ type: "content_filter", action, keywords: ["contraseña"] });
const pii = (action: string) => ({ type: "pii_detection", action });

const guarded = (
  output: object[],
  calls: StageOptions["calls"],
  spec: object = {},
  more: StageOptions = {},
) =>
  stage({
    ...more,
    ...(calls && { calls }),
    spec: {
      output_schema: { type: "object", properties: { clave: {} } },
      guardrails: { output },
      ...spec,
    },
  });

/** The same JSON in the ways that a model may write it. */
const written: [string, string][] = [
  ["in lower case", '{"clave":"la contrase\\u00f1a es 1234"}'],
  ["in upper case", '{"clave":"la contrase\\u00F1a es 1234"}'],
  ["in ASCII letters", '{"clave":"la \\u0063ontraseña es 1234"}'],
  ["after a line break", '{"clave":"la\\ncontraseña es 1234"}'],
  ["after a tab", '{"clave":"la\\tcontraseña es 1234"}'],
  ["after an escaped quote", '{"clave":"la \\u0022contraseña es 1234"}'],
  ["after an escaped control character", '{"clave":"la \\u001fcontraseña es 1234"}'],
  ["in a key", '{"clave":1,"contrase\\u00f1a":2}'],
  ["in a fence", 'Aquí:\n```json\n{"clave":"contrase\\u00f1a"}\n```'],
];

const cuts = (text: string) => Array.from({ length: text.length + 1 }, (_, at) => at);

describe("a word that the answer writes with escapes", () => {
  test.each(written)("%s, is blocked in text and data", async (_what, text) => {
    for (const pieces of [[text], [...text]]) {
      const run = guarded([filter("block")], [says(...pieces)]);
      const { thrown, tokens, events } = await run.run();
      expect(thrown).toMatchObject({ code: "guardrail_blocked", details: { facts: { stage: "output" } } });
      expect([tokens, await run.turns()]).toEqual(["", []]);
      expect(events.some(({ type }) => type === "done")).toBe(false);
    }
  });

  test.each(written)("%s, is redacted in text, data and memory", async (_what, text) => {
    for (const pieces of [[text], [...text]]) {
      const run = guarded([filter("redact")], [says(...pieces)]);
      const { result, tokens, thrown } = await run.run();
      expect(thrown).toBeUndefined();
      expect(result?.response).toBe(tokens);
      expect(JSON.stringify(result?.data)).toContain("[FILTERED]");
      for (const leaves of [tokens, result?.data, await run.turns()])
        expect(JSON.stringify(leaves)).not.toMatch(/contrase|\\\\u00f1|\\\\u0063/i);
      expect(result?.metadata.guardrails).toMatchObject({ output_filtered: true });
    }
  });

  test("is found wherever the pieces of the answer end", async () => {
    const text = '{"clave":"la contrase\\u00F1a 😀 \\ud83d\\ude00"}';
    for (const at of cuts(text)) {
      const run = guarded([filter("redact")], [says(text.slice(0, at), text.slice(at))]);
      const { tokens, result } = await run.run();
      expect(tokens).toBe('{"clave":"la [FILTERED] 😀 😀"}');
      expect(result?.data).toEqual({ clave: "la [FILTERED] 😀 😀" });
    }
  });

  test("does not reach the agents of a chain", async () => {
    const chained = (action: string) =>
      guarded(
        [filter(action)],
        ['{"clave":"la contrase\\u00f1a"}'],
        { chain: { on_complete: [{ agent: "next", input: "{{ output.answer }} {{ output.data.clave }}" }] } },
        { agents: { next: { calls: ["done"] } } },
      );
    const run = chained("redact");
    await run.run();
    expect(JSON.stringify(run.modelOf("next").requests)).toContain("[FILTERED]");
    expect(JSON.stringify(run.modelOf("next").requests)).not.toContain("contrase");
    const blocked = chained("block");
    await blocked.run();
    expect(blocked.modelOf("next").requests).toEqual([]);
  });

  test("does not appear in the trace", async () => {
    const run = guarded([filter("redact")], ['{"clave":"contrase\\u00f1a"}'], {
      observability: { record: true },
    });
    await run.run();
    expect(JSON.stringify(run.traces)).toContain("[FILTERED]");
    expect(JSON.stringify(run.traces)).not.toContain("contrase");
  });
});

test("personal data is redacted, and the JSON stays JSON", async () => {
  const text = '{"clave":"a\\nbob\\u0040example.com\\tx"}';
  for (const at of cuts(text)) {
    const run = guarded([pii("redact")], [says(text.slice(0, at), text.slice(at))]);
    const { result, tokens } = await run.run();
    expect(result?.data).toEqual({ clave: "a\n[EMAIL]\tx" });
    expect(tokens).toBe('{"clave":"a\\u000a[EMAIL]\\u0009x"}');
  }
});

test("an escaped backslash does not escape what follows", async () => {
  const text = '{"clave":"bob\\\\u0040example.com contrase\\\\u00f1a"}';
  const run = guarded([pii("redact"), filter("block")], [text]);
  const { result } = await run.run();
  expect([result?.response, result?.data]).toEqual([text, JSON.parse(text)]);
});

test("a person does not read a word that an escape would hide", async () => {
  const run = guarded([{ ...filter("block"), keywords: ["nombre"] }], ['\\nombre {"clave":1}']);
  const { tokens } = await run.run();
  expect(tokens).not.toContain("nombre");
});

describe("data in which the guardrails find more than in the text", () => {
  const card = '{"clave": 4.111111111111111e15}';

  test("is redacted before memory and chain see it", async () => {
    const run = guarded([pii("redact")], [card]);
    const { result, events } = await run.run();
    expect(result?.data).toEqual({ clave: "[CREDIT_CARD]" });
    expect(result?.metadata.guardrails).toMatchObject({ output_filtered: true });
    expect(events).toContainEqual({
      type: "guardrail",
      guardrail: "pii_detection",
      stage: "output",
      outcome: "redacted",
      hits: 1,
    });
  });

  test("is not returned where it no longer matches the schema", async () => {
    const run = guarded([pii("redact")], [card], {
      output_schema: { type: "object", properties: { clave: { type: "number" } } },
    });
    const { result } = await run.run();
    expect(result).toMatchObject({ data: null, data_error: expect.stringContaining("output_schema") });
  });

  test("ends the run under block", async () => {
    const run = guarded([pii("block")], [card]);
    const { thrown } = await run.run();
    expect(thrown).toMatchObject({ code: "guardrail_blocked" });
    expect([await run.turns(), run.finished[0]?.status]).toEqual([[], "blocked"]);
    expect(run.logged[0]).toMatchObject({ event: "guardrail.blocked" });
    expect(run.traces[0]?.spans.at(-1)).toMatchObject({ name: "guardrails.output", status: "ERROR" });
  });
});

test("an answer that isn't read as JSON leaves as it is", async () => {
  const text = "In JSON, ñ may be \\u00f1.\\n";
  const run = stage({ calls: [text], spec: { guardrails: { output: [pii("redact")] } } });
  expect((await run.run()).result?.response).toBe(text);
  const unguarded = stage({ calls: [text], spec: { output_schema: { type: "object" } } });
  expect((await unguarded.run()).result?.response).toBe(text);
});
