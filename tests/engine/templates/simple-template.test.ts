import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseSimple, renderSimple } from "../../../src/engine/templates/simple-template.ts";
import { createTemplateCompiler } from "../../../src/engine/templates/template-compiler.ts";
import { toAppError } from "../../../src/kit/app-error.ts";

const pieces = [
  "Hello ",
  "{{ name }}",
  "{{name}}",
  "{{\tday }}",
  "\n",
  "\r\n",
  "{",
  "}",
  " %} ",
  "é😀",
  "\ud800",
  "#}",
  "{{ missing }}",
  "'{{ name }}'",
  "{{ office.city }}",
  "{{ office.lost.deep }}",
  "{{ name.city }}",
  "{{ office.city.lost }}",
  "{{ office }}",
  "{% for tool in tools %}",
  "{%for name in office.tools%}",
  "{% for tool in lost %}",
  "{% for tool in name %}",
  "{% endfor %}",
  "{% endfor %}",
  "{%endfor%}",
  "- {{ tool.name }}: {{ tool }}",
];
const values = fc.constantFrom<unknown>("Ann", "", "{{ day }}", "<b>&", "a\nb", "\udc00", 7, true, null, [
  "x",
]);

/** The result, or the code of the fault. */
function outcomeOf(render: () => string): unknown {
  try {
    return render();
  } catch (thrown) {
    return { code: toAppError(thrown).code };
  }
}

test("a simple template renders as the engine renders it", () => {
  const compiler = createTemplateCompiler();
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...pieces), { maxLength: 10 }),
      values,
      values,
      (parts, name, day) => {
        const source = parts.join("");
        const simple = parseSimple(source);
        if (simple === undefined) return;
        const tools = [{ name: "one" }, { name: day }, "two"];
        const variables = { name, day, tools, office: { city: name, tools: ["x", name] } };
        const text = renderSimple(simple, variables);
        const expected = outcomeOf(() => compiler.renderOnce("t", source, variables, "none"));
        if (text !== undefined) expect(text).toBe(expected as string);
        // Compiled, it renders the engine's text in any case.
        expect(outcomeOf(() => compiler.compile("t", source).render(variables))).toEqual(expected);
      },
    ),
    { numRuns: 2000 },
  );
});

test.each([
  "{{ a.not }}",
  "{{ a. b }}",
  "{{ a.0 }}",
  "{{ a | upper }}",
  "{{- a }}",
  "{{ a -}}",
  "{% if a %}{% endif %}",
  "{# note #}",
  "{{ not }}",
  "{{ true }}",
  "{{{ a }}}",
  "{{ a }}}",
  "{{ 1 }}",
  "{{ a",
  "{{ a\n}}",
  "{% for a in b %}",
  "{% endfor %}",
  "{% for a in b -%}{% endfor %}",
  "{% for a in b %}{{ loop.index }}{% endfor %}",
  "{% for a, c in b %}{% endfor %}",
  "{% for a in b | sort %}{% endfor %}",
  "{% for a in b if a %}{% endfor %}",
  "{% for a in b %}{% else %}{% endfor %}",
  "{% for a in b recursive %}{% endfor %}",
  "{% for loop in b %}{% endfor %}",
  "{% for a in range %}{% endfor %}",
  "{% for a in b %}}{% endfor %}",
  "{{ }}",
])("%j needs the engine", (source) => {
  expect(parseSimple(source)).toBeUndefined();
});

test("a loop shows its items, and afterwards its name is what it was", () => {
  const simple = parseSimple(
    "{{ tool }}{% for tool in tools %}\n- {{ tool.name }}{% for tag in tool.tags %} {{ tag }}{% endfor %}{% endfor %}\n{{ tool }}",
  );
  expect(simple?.names).toEqual(new Set(["tool", "tools"]));
  const tools = [{ name: "clock", tags: ["a", "b"] }, { name: "mail" }];
  expect(simple && renderSimple(simple, { tool: "T", tools })).toBe("T\n- clock a b\n- mail\nT");
});

test("a loop without end is the engine's, and so is a text without end", () => {
  const long = Array.from({ length: 10_001 }, () => "x");
  const rounds = parseSimple("{% for a in b %}.{% endfor %}");
  expect(rounds && renderSimple(rounds, { b: long.slice(1) })).toHaveLength(10_000);
  expect(rounds && renderSimple(rounds, { b: long })).toBeUndefined();
  const large = parseSimple(`{% for a in b %}${"x".repeat(1000)}{% endfor %}`);
  expect(large && renderSimple(large, { b: long.slice(1) })).toBeUndefined();
});
