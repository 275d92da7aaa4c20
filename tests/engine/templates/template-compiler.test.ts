import { describe, expect, test } from "bun:test";
import {
  createTemplateCompiler,
  TEMPLATE_BYTES_MAX,
} from "../../../src/engine/templates/template-compiler.ts";
import { AppError } from "../../../src/kit/app-error.ts";

const templates = createTemplateCompiler();
const render = (source: string, variables: Record<string, unknown> = {}) =>
  templates.compile("greeting", source).render(variables);

function faultOf(work: () => unknown): AppError {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}

describe("what minijinja lacks", () => {
  const data = { d: { k: 1, n: null }, s: "a-b", l: [3, 1, 2], rows: [{ p: 1.5 }, { p: 2 }], name: "Ann" };
  const cases: [template: string, result: string][] = [
    ["{{ d.get('k', 5) }}{{ d.get('q', 5) }}{{ d.get('q', d.get('k', 2)) }}{{ d.get('n', 3) }}", "151none"],
    ["{{ d.get('q', [1, 2])|length }}{{ {'a': {'b': 1}}.get('a', {}).get('b', 9) }}", "21"],
    ["{{ '{0} {1:>5.1f} {name!r} {0[1]}'.format('ab', 2.26, name='x') }}", "ab   2.3 'x' b"],
    ["{{ '{:,} {:05d} {:<4}|{:^5}|'.format(1234567, 42, 'a', 'b') }}", "1,234,567 00042 a   |  b  |"],
    ["{{ '%5.2f|%-4d|%04d|%x|%s%%' | format(3.14159, 7, 42, 255, true) }}", " 3.14|7   |0042|ff|true%"],
    ["{{ '%(a)s' | format(a='b') }}", "b"],
    [
      "{{ s.partition('-') | join('|') }}{{ 'abc'.removeprefix('a').removesuffix('c').center(5, '*') }}",
      "a|-|b**b**",
    ],
    ["{{ 'aB'.swapcase() }}{{ '7'.zfill(3) }}{{ '-7'.zfill(4) }}{{ 'x'.ljust(3) ~ '|' }}", "Ab007-007x  |"],
    [
      "{{ '' | default('y', boolean=true) }}{{ q | default(default_value='z') }}{{ 'a' | indent(width=2, first=true) }}",
      "yz  a",
    ],
    [
      "{{ rows | sum(attribute='p') }} {{ rows | map(attribute='p') | join(d='+') }} {{ rows|join('/', attribute='p') }}",
      "3.5 1.5+2 1.5/2",
    ],
    ["{% set a, b = l[0], s.upper() %}{{ a }}{{ b }}", "3A-B"],
    ["{% for i in l %}{% if i == 1 %}{% break %}{% endif %}{{ i }}{% endfor %}.", "3."],
    ["{% for i in l -%} {% if i == 1 %} {%- continue -%} {% endif %} {{- i }} {%- endfor %}.", "32."],
    [
      "{% for i in l %}{% for j in l %}{% if j == 1 %}{% continue %}{% elif j == 2 %}{% break %}{% else %}{{ i }}{{ j }}{% endif %},{% endfor %};{% endfor %}",
      "33,;13,;23,;",
    ],
    [
      "{% for i in l %}{% if i == 1 %}{% if true %}{% continue %}{% endif %}x{% endif %}{{ i }}{% else %}none{% endfor %}",
      "32",
    ],
    [
      "{{ 'ab cd ef' | truncate(5, true, '…', 0) }}|{{ 'a b' | urlencode }}|{{ {'q': 'a b&c'} | urlencode }}",
      "ab c…|a%20b|q=a+b%26c",
    ],
    ["{{ {'b': [1, none], 'a': 'é'} | tojson }}", '{"a": "\\u00e9", "b": [1, null]}'],
    ["{{ ['x', 1, none, true] | pprint }}", "['x', 1, None, True]"],
    ["{{ 'one two three' | wordwrap(8) }}|{{ 'abcdefgh' | wordwrap(3) }}", "one two\nthree|abc\ndef\ngh"],
    [
      "{{ 'it''s' }}{{ \"a{{ b }}\" }}{# {{ c.get('x', 1) }} #}{% raw %}{{ d.get('k', 2) }}{% endraw %}",
      "itsa{{ b }}{{ d.get('k', 2) }}",
    ],
    ["{{ (s ~ '!').center(6) ~ '|' }}{{ [s][0].center(5) }}|{{ d['k'] if 'get' else 1 }}", " a-b! | a-b |1"],
  ];
  for (const [template, result] of cases) {
    test(template, () => expect(render(template, data)).toBe(result));
  }
});

describe("faults", () => {
  const cases: [source: string, code: string, line: number, column: number, text: string][] = [
    ["a\n{{", "template_invalid", 2, 1, "unexpected end of input"],
    ["a\n{% if x %}", "template_invalid", 2, 9, "unexpected end of input"],
    ["a\n  {{ x | nofilter }}", "template_failed", 2, 10, "nofilter"],
    ["{{ 'a'.center(3).zfill(4) }}\n{{ 1 // 0 }}", "template_failed", 2, 4, "unable to calculate"],
    ["{{ 'a'.center(3) ~ nofunction() }}", "template_failed", 1, 20, "nofunction"],
    ["é{{ 'a' | center(1000000000) }}", "template_failed", 1, 11, "too long"],
    ["{{ '%d' | format('x') }}", "template_failed", 1, 11, "needs a number"],
    ["{% include 'elsewhere' %}", "template_failed", 1, 4, "elsewhere"],
  ];
  for (const [source, code, line, column, text] of cases) {
    test(JSON.stringify(source), () => {
      const { kind, details, message, ...fault } = faultOf(() => render(source));
      expect({ kind, code: fault.code }).toEqual({ kind: "unprocessable", code });
      expect(message).toContain("Template greeting, line");
      const [problem] = details.problems ?? [];
      expect(problem).toMatchObject({ path: "greeting", line, column });
      expect(problem?.message).toContain(text);
      expect(problem?.message).toContain(source.split("\n")[line - 1]?.trim() ?? "?");
      expect(message + problem?.message).not.toMatch(/wasm|minijinja|_py_|JsError|unreachable|fuel/i);
    });
  }
});

describe("limits", () => {
  const bombs: Record<string, string> = {
    "endless loops": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "a huge repetition": "{{ 'a' * 1000000000 }}",
    "a doubling text":
      "{% set n = namespace(t='x') %}{% for i in range(60) %}{% set n.t = n.t ~ n.t %}{% endfor %}",
    "deep brackets": `{{ ${"(".repeat(50_000)}1${")".repeat(50_000)} }}`,
    "a long sum": `{{ 1${"+1".repeat(60_000)} }}`,
    "a long chain": `{{ x${".a".repeat(100_000)} }}`,
    "a result that is too long": "{{ 'a' * 300000 }}",
    "endless macros": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "a source that is too long": "a".repeat(TEMPLATE_BYTES_MAX + 1),
  };
  for (const [name, source] of Object.entries(bombs)) {
    test(`${name} fails, and what was compiled before still renders`, () => {
      const before = templates.compile("before", "hello {{ name }}");
      expect(before.render({ name: "Ann" })).toBe("hello Ann");
      expect(faultOf(() => render(source)).kind).toBe("unprocessable");
      expect(before.render({ name: "Bob" })).toBe("hello Bob");
    });
  }

  test("cyclic and too deep data is refused", () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(faultOf(() => render("{{ cycle }}", { cycle })).message).toContain("deeper than 64");
  });

  test("a full memory of earlier templates doesn't fail a later one", () => {
    for (let index = 0; index < 200; index++) {
      expect(render(`${"x".repeat(200_000)}{{ n }}`, { n: index })).toEndWith(String(index));
    }
  });
});

describe("data", () => {
  test("only what JSON can hold reaches a template", () => {
    const hostile = {
      f: () => "called",
      s: Symbol("s"),
      at: new Date(0),
      map: new Map([["k", 1]]),
      big: 10n ** 30n,
    };
    expect(render("{{ h.f }}|{{ h.s }}|{{ h.at }}|{{ h.map.k }}|{{ h.big }}", { h: hostile })).toBe(
      "||1970-01-01T00:00:00.000Z|1|1000000000000000000000000000000",
    );
  });

  test("a variable that isn't named is never read", () => {
    const variables = {
      used: "yes",
      get unused() {
        throw new Error("read");
      },
    };
    expect(render("{{ used }}", variables)).toBe("yes");
  });

  test("inherited values are not variables", () => {
    expect(render("{{ toString }}{{ constructor }}{{ __proto__ }}{{ hasOwnProperty }}", {})).toBe("");
  });

  test("text that looks like a template stays text, and halves of pairs do no harm", () => {
    expect(render("{{ q }}", { q: "{{ 7*7 }}{% raw %}" })).toBe("{{ 7*7 }}{% raw %}");
    expect(render("{{ q }}", { q: "\ud800" })).toBe("\ufffd");
  });
});

describe("libraries", () => {
  const library = {
    "part.html": "<{{ x }}>",
    macros: "{% macro bold(t) %}*{{ t }}*{% endmacro %}",
    base: "[{% block b %}{% endblock %}]",
  };
  const cases: [template: string, result: string][] = [
    ["{% include 'part.html' %}", "<a&b>"],
    ["{% include ['none', 'part.html'] %}{% include 'none' ignore missing %}", "<a&b>"],
    ["{% set n = 'part' %}{% include n ~ '.html' %}", "<a&b>"],
    ["{% from 'macros' import bold %}{{ bold(x) }}{% import 'macros' as m %}{{ m.bold('y') }}", "*a&b**y*"],
    ["{% extends 'base' %}{% block b %}{{ x }}{% endblock %}", "[a&b]"],
  ];
  for (const [template, result] of cases) {
    test(template, () =>
      expect(templates.compile("main", template, library).render({ x: "a&b" })).toBe(result),
    );
  }

  test("a fault in a library template names it; another agent's templates are out of reach", () => {
    const broken = { part: "a\n{% macro f() %}\n{{ 1 // 0 }}{% endmacro %}" };
    const main = templates.compile("main", "{% from 'part' import f %}{{ f() }}", broken);
    expect(faultOf(() => main.render({})).details.problems?.[0]).toMatchObject({ path: "part", line: 3 });
    for (const name of ["t0", "../t0", "part.html", "t0/part.html$"]) {
      expect(faultOf(() => templates.compile("main", `{% include '${name}' %}`).render({})).code).toBe(
        "template_failed",
      );
    }
  });
});

test("compilers side by side don't disturb each other, traps included", () => {
  const other = createTemplateCompiler();
  const [a, b] = [templates.compile("a", "A{{ x }}"), other.compile("b", "B{{ x }}")];
  for (let round = 0; round < 20; round++) {
    expect(a.render({ x: round }) + b.render({ x: round })).toBe(`A${round}B${round}`);
    if (round % 5 === 0) faultOf(() => other.compile("bomb", "{{ 'a' * 1000000000 }}").render({}));
  }
  Bun.gc(true);
  expect(a.render({ x: "é" }) + b.render({ x: "ü" })).toBe("AéBü");
});

describe("a text without tags", () => {
  const cases = ["", "a", "a\n", "a\n\n", "a\r\n", "\n", "x\r\ny", "50 % { } {", "naïve 👩‍👩‍👧 {a}"];

  test.each(cases)("%j renders as the engine would render it", (text) => {
    // A comment turns the text into a template without adding output.
    const viaEngine = templates.compile("engine", `{# c #}${text}`).render({});
    expect(templates.compile("plain", text).render({})).toBe(viaEngine);
  });
});
