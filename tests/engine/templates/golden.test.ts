import { expect, test } from "bun:test";
import { createTemplateCompiler } from "../../../src/engine/templates/template-compiler.ts";
import golden from "./jinja-golden.json" with { type: "json" };

const templates = createTemplateCompiler();
const docs = await Bun.file(new URL("../../../docs/templates.md", import.meta.url)).text();

/** Returns the case names listed under a sentence of the docs. */
function listedAfter(sentence: string): string[] {
  const section = docs.slice(docs.indexOf(sentence)).split("\n\n").slice(0, 2).join("\n");
  return [...section.matchAll(/^- `([^`]+)`/gm)].map(([, name = ""]) => name);
}

function rendered(template: string): string {
  try {
    return templates.compile("case", template).render(golden.context);
  } catch {
    return "ERR";
  }
}

/** Converts a result of Python to Argosy's spelling. */
function respelled(result: string): string {
  if (result.startsWith("ERR")) return "ERR";
  const words = result.replaceAll("True", "true").replaceAll("False", "false").replaceAll("None", "none");
  return words.replace(/\['a', 1\]/, '["a", 1]');
}

test("every golden case of Jinja2 renders the same, but for what the docs list", () => {
  expect(golden.cases.length).toBe(101);
  const spelled: string[] = [];
  const different: string[] = [];
  for (const { name, template, result } of golden.cases) {
    const own = rendered(template);
    if (own === result || (own === "ERR" && result.startsWith("ERR"))) continue;
    (own === respelled(result) ? spelled : different).push(name);
  }
  expect(spelled).toEqual(listedAfter("these differ in that alone"));
  expect(different).toEqual(listedAfter("And this one by decision"));
});
