import { describe, expect, test } from "bun:test";
import { createTemplateCompiler } from "../../../src/engine/templates/template-compiler.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import golden from "./jinja-golden.json" with { type: "json" };

const templates = createTemplateCompiler();
const data = {
  output: {
    answer: "A plain answer",
    data: { priority: "high", count: 3, price: 2.5, gone: null, zero: 0, tags: ["a", "b"], none: [] },
  },
  trigger: { query: "q", context: {} },
  steps: { "order-desk": { answer: "12" }, rows: [{ n: 1, c: "x" }, { c: "y" }] },
  key: "priority",
};

const render = (source: string, strict = true) =>
  templates.compile("link", source, {}, { strict }).render(data);

function complaintOf(source: string): string {
  try {
    return `rendered ${JSON.stringify(render(source))}`;
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === "template_failed") return thrown.message;
    throw thrown;
  }
}

describe("what is missing fails by its name", () => {
  test.each([
    ["{{ nobody }}", "nobody"],
    ["{{ output.data.urgency }}", "output.data.urgency"],
    ["{{ output.data.gone.deeper }}", "output.data.gone.deeper"],
    ["{{ output.nothing.deeper.still }}", "output.nothing.deeper.still"],
    ["{{ output['data']['urgency'] }}", "output['data']['urgency']"],
    ["{{ output.data[nokey] }}", "output.data[nokey]"],
    ["{{ steps['stock-desk'].answer }}", "steps['stock-desk'].answer"],
    ["{{ output.data.tags[7] }}", "output.data.tags[7]"],
    ["{{ output.answer.length }}", "output.answer.length"],
    ["{% if output.data.urgency %}a{% endif %}", "output.data.urgency"],
    ["{% if not output.data.urgency %}a{% endif %}", "output.data.urgency"],
    ["{% if false %}{% elif output.data.urgency %}a{% endif %}", "output.data.urgency"],
    ["{{ output.data.urgency == 'high' }}", "output.data.urgency"],
    ["{{ 'high' == output.data.urgency }}", "output.data.urgency"],
    ["{{ output.data.urgency != 'high' }}", "output.data.urgency"],
    ["{{ output.data.urgency in ['high'] }}", "output.data.urgency"],
    ["{{ 'high' not in output.data.urgency }}", "output.data.urgency"],
    ["{{ output.data.urgency > 3 and true }}", "output.data.urgency"],
    ["{{ output.data.urgency or 'low' }}", "output.data.urgency"],
    ["{{ 'Say ' ~ output.data.urgency }}", "output.data.urgency"],
    ["{{ 1 - output.data.urgency }}", "output.data.urgency"],
    ["{{ 'a' if output.data.urgency else 'b' }}", "output.data.urgency"],
    ["{{ output.data.urgency if true else 'b' }}", "output.data.urgency"],
    ["{{ output.data.urgency | upper }}", "output.data.urgency"],
    ["{{ output.data.urgency | tojson }}", "output.data.urgency"],
    ["{{ 'x' | replace('x', output.data.urgency) }}", "output.data.urgency"],
    ["{{ output.data.priority | default(nobody) }}", "nobody"],
    ["{{ output.data.urgency.upper() }}", "output.data.urgency"],
    ["{{ output.data.urgency.center(9) }}", "output.data.urgency"],
    ["{{ nobody.get('a', 1) }}", "nobody"],
    ["{{ output.answer.replace('A', nobody) }}", "nobody"],
    ["{{ output.data.urgency[1:] }}", "output.data.urgency"],
    ["{{ output.data.tags[nobody:] }}", "nobody"],
    ["{{ output.data.urgency is none }}", "output.data.urgency"],
    ["{{ output.data.count is eq(nobody) }}", "nobody"],
    ["{{ output.data.count is divisibleby nobody }}", "nobody"],
    ["{{ [1, output.data.urgency] | length }}", "output.data.urgency"],
    ["{{ {'a': output.data.urgency} | length }}", "output.data.urgency"],
    ["{{ '{}'.format(nobody) }}", "nobody"],
    ["{% for tag in output.data.labels %}{% endfor %}", "output.data.labels"],
    ["{% for row in steps.rows %}{{ row.n }}{% endfor %}", "row.n"],
    ["{% for row in steps.rows if row.n > 0 %}{% endfor %}", "row.n"],
    ["{% for tag in output.data.tags %}{{ nobody }}{% break %}{% endfor %}", "nobody"],
    ["{% set a = output.data.urgency %}{{ a }}", "output.data.urgency"],
    ["{% set a, b = 1, output.data.urgency %}{{ a }}", "output.data.urgency"],
    ["{% with a = output.data.urgency %}{% endwith %}", "output.data.urgency"],
    ["{% macro m(a) %}{{ a }}{% endmacro %}{{ m() }}", "a"],
    ["{% macro m(a) %}{{ a }}{% endmacro %}{{ m(nobody) }}", "nobody"],
    ["{% macro m(a) %}{{ a }}{% endmacro %}{{ m(a=nobody) }}", "nobody"],
    ["{{ output.data.none | first }}", "output.data.none | first"],
    ["{{ (output.data.none | first).name }}", "(output.data.none | first).name"],
    ["{{ (steps.rows | last).n }}", "(steps.rows | last).n"],
    ["{{ steps.rows | map(attribute='n') | join(',') }}", "steps.rows | map(attribute='n')"],
    ["{{ (nobody) }}", "nobody"],
    ["{{ ((nobody or 1)) | default(2) }}", "nobody"],
    ["{{ range(nobody) }}", "nobody"],
    ["{{\n  output.data\n  .urgency\n}}", "output.data .urgency"],
    ['{{ output["say \\"hi\\""] }}', 'output["say \\"hi\\""]'],
  ])("%s", (source, name) => {
    expect(complaintOf(source)).toContain(`: ${name} is missing.`);
  });

  test("the complaint names line and column where the name begins", () => {
    expect(complaintOf("a\n b {{ 1 + output.data.urgency }}")).toBe(
      "Template link, line 2, column 11: output.data.urgency is missing.",
    );
  });

  test("templates that are included are strict too", () => {
    const template = templates.compile("a", "{% include 'b' %}", { b: "{{ nobody }}" }, { strict: true });
    expect(() => template.render({})).toThrow("nobody is missing.");
  });
});

describe("what is there, or asked for, renders as in any template", () => {
  const cases: [source: string, text: string][] = [
    ["plain text", "plain text"],
    ["{{ output.answer }}", "A plain answer"],
    ["{{ output.data.priority == 'high' and output.data.count > 2 }}", "true"],
    ["{{ output.data.gone }}|{{ output.data.gone is none }}|{{ not output.data.gone }}", "none|true|true"],
    ["{{ output.data.zero }}|{{ output.data.zero or 'empty' }}", "0|empty"],
    ["{{ output.data[key] }}{{ output.data['tags'][1] }}", "highb"],
    [
      "{{ output.data.price * 2 }} {{ 1 - output.data.count }} {{ output.data.tags | tojson }}",
      '5.0 -2 ["a", "b"]',
    ],
    ["{{ steps['order-desk'].answer | int + 1 }}", "13"],
    ["{{ output.data.urgency is defined }}{{ output.data.urgency is not defined }}", "falsetrue"],
    ["{{ nobody.at.all is undefined }}{{ output.data.gone.deeper is defined }}", "truefalse"],
    ["{{ 'x' if nobody is defined and nobody.a > 2 else 'y' }}", "y"],
    ["{% if nobody is undefined or nobody.a %}x{% endif %}", "x"],
    ["{{ output.data.urgency | default('low') | upper }}{{ nobody.a.b | d('x') }}", "LOWx"],
    ["{{ (output.data.urgency) | default('low') }}{{ ((nobody)) is defined }}", "lowfalse"],
    ["{{ output.data.urgency | default(output.data.priority) }}", "high"],
    ["{{ output.data.get('urgency', 'low') }}{{ output.data.get('urgency') }}", "lownone"],
    ["{{ output.data.none | first | default('none there') }}", "none there"],
    ["{{ steps.rows | map(attribute='n', default=0) | join(',') }}", "1,0"],
    ["{{ steps.rows | map(attribute='c') | join(',') }}", "x,y"],
    ["{{ steps.rows | selectattr('n') | map(attribute='c') | first }}", "x"],
    ["{{ steps.rows | map('length') | sum }} {{ output.data.tags | join(d='+') }}", "3 a+b"],
    ["{{ [{'n': 1}, {'n': 2}] | sum(attribute='n') }}", "3"],
    ["{{ output.data.tags[1:] | first }}{{ output.answer[:1] }}{{ (output.data.tags)[0] }}", "bAa"],
    ["{{ output.answer.upper().center(20) | trim }}{{ 'a' 'b' }}", "A PLAIN ANSWERab"],
    [
      "{% for tag in output.data.tags %}{{ loop.index }}{{ tag }}{% if not loop.last %},{% endif %}{% endfor %}",
      "1a,2b",
    ],
    [
      "{% for tag in output.data.tags %}{% if tag == 'b' %}{% continue %}{% endif %}{{ loop.cycle('x', 'y') }}{% endfor %}",
      "x",
    ],
    ["{% for k, v in {'a': 1}.items() %}{{ k }}{{ v }}{% else %}none{% endfor %}", "a1"],
    [
      "{% for n in [[1, [2]]] recursive %}{% if n is number %}{{ n }}{% else %}{{ loop(n) }}{% endif %}{% endfor %}",
      "12",
    ],
    ["{% set ns = namespace(n=1) %}{% set ns.n = ns.n + 1 %}{{ ns.n }}", "2"],
    ["{% set a, b = output.data.tags %}{{ b }}{% set c %}x{{ a }}{% endset %}{{ c }}", "bxa"],
    [
      "{% macro m(a, b=2) %}{{ a }}{{ b }}{{ caller() }}{% endmacro %}{% call m(output.data.count) %}!{% endcall %}",
      "32!",
    ],
    ["{% with a = output.data.count %}{{ a }}{% endwith %}{{ range(3) | list | length }}", "33"],
    ["{% filter upper %}{{ output.data.priority }}{% endfilter %}{# {{ nobody }} #}", "HIGH"],
    ["{% raw %}{{ nobody }}{% endraw %}{{ '{{ nobody }}' }}", "{{ nobody }}{{ nobody }}"],
    ["{{ output.data.count is divisibleby 3 }}{{ output.data.count is eq(output.data.count) }}", "truetrue"],
    ["{{ 'q' in trigger.query and 'z' not in trigger.query }}{{ trigger.context }}", "true{}"],
    ["{{ output.data.price is float }}{{ output.data.count is integer }}", "truetrue"],
    ["{{ true and not false }}{{ none is none }}", "truetrue"],
  ];
  test.each(cases)("%s", (source, text) => {
    expect(render(source)).toBe(text);
    expect(render(source, false)).toBe(text);
  });

  test("brackets in brackets are guarded without growing out of bounds", () => {
    const nested = `${"(".repeat(40)}output${")".repeat(40)}.answer`;
    expect(render(`{{ ${nested} }}`)).toBe("A plain answer");
    const chain = `${"output.data[".repeat(30)}'priority'${"]".repeat(30)}`;
    expect(complaintOf(`{{ ${chain} }}`)).toContain("is missing");
  });
});

test.each(["{{ urgent please }}", "{{ a b.c }}", "{% if a b %}x{% endif %}", "{{ a[0 1] }}"])(
  "what makes no sense makes none with guards: %s",
  (source) => {
    for (const strict of [true, false]) {
      const compile = () => templates.compile("link", source, {}, { strict });
      expect(compile).toThrow(expect.objectContaining({ code: "template_invalid" }));
    }
  },
);

test("templates are lenient unless strictness is asked for", () => {
  expect(render("[{{ nobody.a.b }}{% if nobody %}x{% endif %}]", false)).toBe("[]");
  expect(templates.compile("a", "[{{ nobody }}]").render({})).toBe("[]");
});

test("every golden case renders the same, or fails by the name of what is missing", () => {
  const outcome = (template: string, strict: boolean) => {
    try {
      return templates.compile("case", template, {}, { strict }).render(golden.context);
    } catch (thrown) {
      return thrown instanceof AppError && / is missing\.$/.test(thrown.message) ? "missing" : "failed";
    }
  };
  const missing: string[] = [];
  for (const { name, template } of golden.cases) {
    const strict = outcome(template, true);
    if (strict === "missing") missing.push(name);
    else expect({ name, text: strict }).toEqual({ name, text: outcome(template, false) });
  }
  expect(missing).toEqual(["loop previtem/cycle", "undefined empty", "undefined nested"]);
});
