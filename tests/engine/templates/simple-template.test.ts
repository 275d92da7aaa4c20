import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseSimple, renderSimple } from "../../../src/engine/templates/simple-template.ts";
import { createTemplateCompiler } from "../../../src/engine/templates/template-compiler.ts";

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
];
const values = fc.constantFrom<unknown>("Ann", "", "{{ day }}", "<b>&", "a\nb", "\udc00", 7, true, null, [
  "x",
]);

test("a simple template renders as the engine renders it", () => {
  const compiler = createTemplateCompiler();
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...pieces), { maxLength: 8 }),
      values,
      values,
      (parts, name, day) => {
        const source = parts.join("");
        const simple = parseSimple(source);
        if (simple === undefined) return;
        const variables = { name, day };
        const text = renderSimple(simple, variables);
        if (text !== undefined) expect(text).toBe(compiler.renderOnce("t", source, variables, "none"));
        // Compiled, it renders the engine's text in any case.
        expect(compiler.compile("t", source).render(variables)).toBe(
          compiler.renderOnce("t", source, variables, "none"),
        );
      },
    ),
    { numRuns: 400 },
  );
});

test.each([
  "{{ a.b }}",
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
  "{{ }}",
])("%j needs the engine", (source) => {
  expect(parseSimple(source)).toBeUndefined();
});
