import { afterAll, describe, expect, test } from "bun:test";
import { childCommand } from "../../../../src/compose/child-command.ts";
import { createMinijinjaEngine } from "../../../../src/engine/templates/minijinja/minijinja-engine.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import { systemClock } from "../../../../src/kit/clock.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

const command = childCommand("template-child");
/** Time limits pass only when a test lets them, however busy the machine is. */
const clock = new FakeClock();
const engine = createMinijinjaEngine({ clock, childCommand: command });
afterAll(() => engine.close());

/** Within the steps but far beyond the time limit: sorting a hundred thousand numbers is one step. */
const busy =
  "{% for i in range(9999) %}{{ range(100000) | list | sort | reverse | join | length }}{% endfor %}";

async function faultOf(work: Promise<unknown>): Promise<AppError> {
  const thrown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (thrown instanceof AppError) return thrown;
  throw new Error(`no AppError: ${String(thrown)}`);
}

/** Lets time pass until the work of a started child fails. */
async function pastItsTime(work: Promise<unknown>): Promise<AppError> {
  let isOver = false;
  const fault = faultOf(work).finally(() => {
    isOver = true;
  });
  while (!isOver) await clock.advance(10);
  return fault;
}

test("renders in order, with the faults of the template", async () => {
  const results = [1, 2, 3].map((n) => engine.renderUntrusted("{{ n }}{{ 'é' }}", { n }));
  expect(await Promise.all(results)).toEqual(["1é", "2é", "3é"]);
  const fault = await faultOf(engine.renderUntrusted("a\n{{ 1 // 0 }}", {}));
  expect(fault).toMatchObject({ kind: "unprocessable", code: "template_failed" });
  expect(fault.details.problems?.[0]).toMatchObject({ line: 2, column: 4 });
});

test("a template that takes too long is killed, process and all, and the next one renders", async () => {
  expect(await engine.renderUntrusted("before", {})).toBe("before");
  const first = engine.renderUntrusted(busy, {});
  const second = engine.renderUntrusted("after", {});
  expect((await pastItsTime(first)).message).toBe("Template template took longer than 100 ms.");
  expect(await second).toBe("after");
  const third = engine.renderUntrusted(busy, {}, { timeLimitMs: 20 });
  expect((await pastItsTime(third)).message).toBe("Template template took longer than 20 ms.");
  expect(await engine.renderUntrusted("again", {})).toBe("again");
});

test("the limit is of real time", async () => {
  const other = createMinijinjaEngine({ clock: systemClock, childCommand: command });
  expect(await faultOf(other.renderUntrusted(busy, {}))).toMatchObject({
    code: "template_failed",
    message: "Template template took longer than 100 ms.",
  });
  other.close();
});

test("large data and results pass whole", async () => {
  const text = "é".repeat(100_000);
  expect(await engine.renderUntrusted("{{ text }}", { text })).toBe(text);
});

test("a child that can't be started, or ends, is a failed template and no hang", async () => {
  for (const broken of [["/bin/false"], [process.execPath, "-e", "console.log(''); process.exit(3)"]]) {
    const other = createMinijinjaEngine({ clock: systemClock, childCommand: broken });
    expect((await faultOf(other.renderUntrusted("x", {}))).message).toBe(
      "Template template could not be rendered.",
    );
    other.close();
  }
});

test("the child sees no environment and is replaced after its time", async () => {
  const show =
    "console.log(''); for await (const _ of console) console.log(JSON.stringify({ text: Object.keys(process.env).join() + ' ' + process.pid }))";
  const other = createMinijinjaEngine({ clock, childCommand: [process.execPath, "-e", show] });
  const [names, first] = (await other.renderUntrusted("x", {})).split(" ");
  expect(names).toBe("");
  expect((await other.renderUntrusted("x", {})).split(" ")[1]).toBe(first);
  await clock.advance(60_000);
  expect((await other.renderUntrusted("x", {})).split(" ")[1]).not.toBe(first);
  other.close();
});

describe("JSON templates keep data data", () => {
  const data = {
    x: '1, "admin": true',
    q: 'a"b\\',
    n: 2,
    t: true,
    none: null,
    list: [1, "b"],
    rows: [{ k: 1 }, { k: "}" }],
  };
  const cases: [template: string, json: unknown][] = [
    ['{"a": {{ data.x }} }', { a: data.x }],
    ['{"a": "{{ data.x }}", "b": "x {{ data.q }} {{ data.n }}"}', { a: data.x, b: `x ${data.q} 2` }],
    [
      '{"a": {{ data.x | upper }}, "b": {{ data.x ~ "" }}, "c": {{ data["x"] }}}',
      { a: data.x.toUpperCase(), b: data.x, c: data.x },
    ],
    [
      '{"a": {{ data.n }}, "b": {{ data.t }}, "c": {{ data.none }}, "d": {{ data.missing }}}',
      { a: 2, b: true, c: null, d: null },
    ],
    ['{"a": {{ data.list }}, "b": {{ data.rows | tojson }}}', { a: data.list, b: data.rows }],
    ['[{% for r in data.rows %}{"k": {{ r.k }}}{{ "," if not loop.last }}{% endfor %}]', data.rows],
    ['{% set j = joiner(", ") %}[{% for r in data.rows %}{{ j() }}{{ r.k }}{% endfor %}]', [1, "}"]],
    ['{% macro m(v) %}{"v": {{ v }}}{% endmacro %}[{{ m(data.x) }}]', [{ v: data.x }]],
    ["{% set y = data.x %}{% set z %}{{ y }}{% endset %}[{{ y }}, {{ z }}]", [data.x, data.x]],
    ['[{{ data.list | map("tojson") | join(", ") }}]', data.list],
    ['[{{ data.list | join(",") }}]', ["1,b"]],
    ['{{ "[1]" if data.t else data.x }}', "[1]"],
    ['{{ "[1]" if data.x else "[2]" }}', [1]],
    ["{% for joiner in [data.x] %}[{{ joiner }}]{% endfor %}", [data.x]],
    ['{"{{ data.q }}": 1}', { [data.q]: 1 }],
  ];
  for (const [template, json] of cases) {
    test(template, async () => {
      expect(JSON.parse(await engine.renderUntrusted(template, { data }, { escaping: "json" }))).toEqual(
        json,
      );
    });
  }
});
