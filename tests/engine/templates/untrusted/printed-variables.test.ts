import { afterAll, expect, test } from "bun:test";
import { createUntrustedEngine } from "../../../../src/engine/templates/untrusted/untrusted-engine.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import { systemClock } from "../../../../src/kit/clock.ts";

// A process that can't start shows which templates need one.
const engine = createUntrustedEngine({ clock: systemClock, childCommand: ["/bin/false"] });
afterAll(() => engine.close());

const rendered = async (source: string, variables: Record<string, unknown>) =>
  engine.compile("prompt", source).render(variables);

test.each([
  ["{{ session_id }} of {{ context.office.city }}{{- name -}} !", "s of Lima<Ada>!"],
  ["{{ missing }}{{ context.missing.deep }}.", "."],
  ["{{name}} { {{ name }} }", "<Ada> { <Ada> }"],
])("%p only prints, and needs no process", async (source, text) => {
  const variables = { session_id: "s", name: "<Ada>", context: { office: { city: "Lima" } } };
  expect(await rendered(source, variables)).toBe(text);
});

test.each([
  "{{ name | upper }}",
  "{{ range(9) }}",
  "{% for a in name %}{% endfor %}",
  "{{ name * 9 }}",
  "{{ a[0] }}",
])("%p is rendered in the process", async (source) => {
  const refused = await rendered(source, { name: "Ada", a: [1] }).catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ code: "template_failed" });
});

test("a result beyond the limit is a fault, and many outputs go to the process", async () => {
  const big = "x".repeat(100_000);
  const refused = await rendered("{{ a }}{{ a }}{{ a }}", { a: big }).catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ code: "template_failed" });
  const many = await rendered("{{ a }}".repeat(65), { a: "x" }).catch((thrown: unknown) => thrown);
  expect(many).toMatchObject({ code: "template_failed" });
});

test("joining texts prints what the engine prints", async () => {
  const sources = [
    "{{ a }}",
    "x{{a}}y. {{ b }}.",
    "{{ a.b }}",
    "{{ c.d.e }}!",
    "{{ c }}",
    "{{ list }}",
    "{{ n }}",
    "{{ none }}|",
  ];
  const variables = { a: "<é>", b: "", c: { d: { e: "deep" }, n: null }, list: [1, "x"], n: 1.5 };
  const settled = (source: string) =>
    rendered(source, variables).catch((thrown: unknown) =>
      thrown instanceof AppError ? thrown.code : "broken",
    );
  for (const source of [...sources, "{{ c.n }}", "{{ missing.x.y }}?"]) {
    // The engine removes a line end at the end of a template, which therefore is not joined.
    expect([source, await settled(source)]).toEqual([source, await settled(`${source}\n`)]);
  }
});
