import { afterAll, describe, expect, test } from "bun:test";
import { childCommand } from "../../../src/compose/child-command.ts";
import { createMinijinjaEngine } from "../../../src/engine/templates/minijinja/minijinja-engine.ts";
import { bindBuiltinTools } from "../../../src/engine/tools/bind-tools.ts";
import { executeTool } from "../../../src/engine/tools/execute-tool.ts";
import { createMemoryCache } from "../../../src/engine/tools/tool-cache.ts";
import { type Clock, systemClock } from "../../../src/kit/clock.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { toolContext } from "../../support/tool-context.ts";
import { toolPorts } from "../../support/tool-ports.ts";

const clock = new FakeClock("2026-07-01T22:05:09.070Z");
const engineBy = (by: Clock) =>
  createMinijinjaEngine({ clock: by, childCommand: childCommand("template-child") });
/** Its time limit never passes, however busy the machine is. */
const templates = engineBy(clock);
const limited = engineBy(systemClock);
afterAll(() => {
  templates.close();
  limited.close();
});
const cache = createMemoryCache(clock);
const tools = bindBuiltinTools(toolPorts({ templates, cache, clock }));

function call(name: string, input: Record<string, unknown>, sessionId = "s") {
  const tool = tools.get(name);
  if (!tool) throw new Error(`no tool ${name}`);
  return executeTool(tool, input, toolContext({ sessionId, clock }));
}

test("each declares an object schema in function-calling format, with a description", () => {
  for (const { tool } of tools.values()) {
    expect(tool.parameters).toMatchObject({ type: "object", additionalProperties: false });
    expect(tool.description.length).toBeGreaterThan(20);
  }
  expect(tools.get("cache_store")?.tool.parameters).toMatchObject({
    required: ["action", "key"],
    // A plain enumeration, because not every provider's grammar supports `anyOf` of constants.
    properties: { action: { type: "string", enum: ["get", "set", "delete"] } },
  });
  expect(tools.get("json_transform")?.tool.parameters.required).toEqual(["data", "template"]);
  expect(tools.get("datetime_now")?.tool.parameters).not.toHaveProperty("required");
});

describe("datetime_now", () => {
  const unix_timestamp = 1_782_943_509;
  const cases: [input: Record<string, unknown>, datetime: string, timezone: string][] = [
    [{}, "2026-07-01T22:05:09.070+00:00", "UTC"],
    [{ timezone: "Europe/Madrid" }, "2026-07-02T00:05:09.070+02:00", "Europe/Madrid"],
    [{ timezone: "america/new_york" }, "2026-07-01T18:05:09.070-04:00", "America/New_York"],
    [{ timezone: "Asia/Kathmandu" }, "2026-07-02T03:50:09.070+05:45", "Asia/Kathmandu"],
    [{ timezone: "Mars/Olympus" }, "2026-07-01T22:05:09.070+00:00", "UTC"],
    [{ timezone: "" }, "2026-07-01T22:05:09.070+00:00", "UTC"],
  ];
  for (const [input, datetime, timezone] of cases) {
    test(JSON.stringify(input), async () => {
      const result = await call("datetime_now", input);
      expect(result).toEqual({ success: true, data: { datetime, timezone, unix_timestamp } });
      expect(Math.floor(Date.parse(datetime) / 1000)).toBe(unix_timestamp);
    });
  }

  test("names that callers make up don't pile up, and known zones keep working", async () => {
    for (let index = 0; index < 300; index++) await call("datetime_now", { timezone: `X/${index}` });
    expect(await call("datetime_now", { timezone: "Asia/Tokyo" })).toMatchObject({
      data: { datetime: "2026-07-02T07:05:09.070+09:00" },
    });
  });
});

describe("json_transform", () => {
  test("returns the JSON that the template writes", async () => {
    const data = { user: { first: "Ann", tags: ["a", "b"] } };
    const template =
      '{"name": "{{ data.user.first }}", "count": {{ data.user.tags | length }}, "tags": {{ data.user.tags | tojson }}}';
    expect(await call("json_transform", { data, template })).toEqual({
      success: true,
      data: { name: "Ann", count: 2, tags: ["a", "b"] },
    });
  });

  test("template_injection-047: data adds no keys", async () => {
    const input = { template: '{"a": {{ data.x }} }', data: { x: '1, "admin": true' } };
    expect(await call("json_transform", input)).toEqual({ success: true, data: { a: '1, "admin": true' } });
  });

  test("template_injection-046: text of the data is never a template", async () => {
    expect(await call("json_transform", { template: "{{ data }}", data: "{{ 7*7 }}" })).toEqual({
      success: true,
      data: "{{ 7*7 }}",
    });
  });

  const failures: [template: string, error: RegExp][] = [
    ["not json", /^The template wrote no valid JSON: .* It wrote: not json$/],
    ['{"a": 1, "a": 2}', /no valid JSON/],
    ["", /It wrote: nothing$/],
    ["{{", /^Template template, line 1, column 1: syntax error/],
    ["{{ 'a' * 1000000000 }}", /needs too much memory/],
  ];
  for (const [template, error] of failures) {
    test(`fails: ${template.slice(0, 40)}`, async () => {
      expect(await call("json_transform", { data: {}, template })).toEqual({
        success: false,
        error: expect.stringMatching(error),
      });
    });
  }
});

test("json_transform ends a template that takes too long", async () => {
  const tool = bindBuiltinTools(toolPorts({ templates: limited, cache, clock })).get("json_transform");
  if (!tool) throw new Error("no tool json_transform");
  const template = "{% for i in range(9999) %}{{ range(100000) | list | sort | join | length }}{% endfor %}";
  expect(await executeTool(tool, { data: {}, template }, toolContext({ clock }))).toEqual({
    success: false,
    error: expect.stringMatching(/took longer than 100 ms/),
  });
});

describe("cache_store", () => {
  test("keeps any JSON for the session", async () => {
    for (const value of [null, 0, "", { a: [1] }]) {
      expect(await call("cache_store", { action: "set", key: "k", value })).toEqual({
        success: true,
        data: { key: "k", stored: true },
      });
      expect(await call("cache_store", { action: "get", key: "k" })).toEqual({
        success: true,
        data: { key: "k", found: true, value },
      });
    }
    expect(await call("cache_store", { action: "get", key: "k" }, "other")).toMatchObject({
      data: { found: false, value: null },
    });
    expect(await call("cache_store", { action: "delete", key: "k" })).toMatchObject({
      data: { deleted: true },
    });
    expect(await call("cache_store", { action: "delete", key: "k" })).toMatchObject({
      data: { deleted: false },
    });
  });

  const failures: [input: Record<string, unknown>, error: RegExp][] = [
    [{ action: "set", key: "k" }, /^set needs a value\.$/],
    [{ action: "set", key: "k", value: "x".repeat(65_535) }, /longer than 65536 characters/],
    [{ action: "drop", key: "k" }, /: action must be one of get, set, delete\.$/],
    [{ key: "k" }, /: action is required\.$/],
    [{ action: "get" }, /key is required/],
    [{ action: "get", key: "" }, /key/],
  ];
  for (const [input, error] of failures) {
    test(`fails: ${error}`, async () => {
      expect(await call("cache_store", input)).toEqual({
        success: false,
        error: expect.stringMatching(error),
      });
    });
  }
});
