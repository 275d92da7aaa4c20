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
      fc.array(fc.constantFrom(...pieces), { maxLength: 8 }),
      values,
      values,
      (parts, name, day) => {
        const source = parts.join("");
        const simple = parseSimple(source);
        if (simple === undefined) return;
        const variables = { name, day, office: { city: name } };
        const text = renderSimple(simple, variables);
        const expected = outcomeOf(() => compiler.renderOnce("t", source, variables, "none"));
        if (text !== undefined) expect(text).toBe(expected as string);
        // Compiled, it renders the engine's text in any case.
        expect(outcomeOf(() => compiler.compile("t", source).render(variables))).toEqual(expected);
      },
    ),
    { numRuns: 400 },
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
  "{{ }}",
])("%j needs the engine", (source) => {
  expect(parseSimple(source)).toBeUndefined();
});
