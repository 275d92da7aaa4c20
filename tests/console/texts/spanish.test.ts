import { expect, test } from "bun:test";
import { join } from "node:path";
import { descriptionText } from "../../../src/console/texts/es/manifest-descriptions.ts";
import { guardrailKinds } from "../../../src/engine/guardrails/registry.ts";
import { agentKind } from "../../../src/manifest/agent/agent-kind.ts";
import { ragPipelineKind } from "../../../src/manifest/rag-pipeline.ts";
import { jsonSchemaOf } from "../../../src/manifest/schema/json-schema.ts";

const folder = join(import.meta.dir, "../../../src/console/texts");

/** Files that export no texts. */
const helpers = ["isolated.ts"];

const pathsIn = (place: string) => [...new Bun.Glob("**/*.ts").scanSync({ cwd: place })].sort();
const english = pathsIn(folder).filter((path) => !path.startsWith("es/") && !helpers.includes(path));

/** Texts that are the same in both languages, in lower case. */
const same = new Set([
  "bytes",
  "(kappa )",
  "pipelines: .",
  "anthropic",
  "argosy console",
  "argosy",
  "callback",
  "cohere",
  "ctrl k",
  "ctrl s",
  "curl",
  "error",
  "esc",
  "groq",
  "hash",
  "hf_tgi",
  "id",
  "ids",
  "instagram",
  "json",
  "junit",
  "llamacpp",
  "mcp",
  "mistral",
  "no",
  "ok",
  "ollama",
  "openai",
  "pipeline",
  "pipelines",
  "plan",
  "postgresql",
  "prompt",
  "prompts",
  "python",
  "sqlite",
  "subtotal",
  "telegram",
  "token",
  "tokens",
  "total",
  "typescript",
  "url",
  "vertical",
  "videos",
  "vllm",
  "webhook",
  "whatsapp",
  "yaml",
]);

/** What people copy: JSON or a setting. */
const isCode = (text: string) => /^\{|^[A-Z_]+=/.test(text);

/** Returns true if the texts in a function's source have a word beside the values. */
const hasWords = (source: string) =>
  [...source.replaceAll(/\$\{[^}]*\}/g, "").matchAll(/[`"']([^`"']*)[`"']/g)].some(
    ([, text = ""]) => /\p{L}{3}/u.test(text) && !same.has(text.trim().toLowerCase()),
  );

/** Returns what the Spanish texts at a path lack, have too much, or have in English. */
function faultsOf(path: string, text: unknown, spanish: unknown): string[] {
  const fault = (reason: string) => [`${path} ${reason}`];
  if (typeof text !== typeof spanish || Array.isArray(text) !== Array.isArray(spanish))
    return fault("is of another kind");
  if (typeof text === "function" && typeof spanish === "function")
    if (text.length !== spanish.length) return fault(`takes ${spanish.length} of ${text.length} values`);
    else
      return String(text) === String(spanish) && hasWords(String(text)) && !same.has(path)
        ? fault("is English")
        : [];
  if (typeof text === "object" && text !== null) {
    const names = new Set([...Object.keys(text), ...Object.keys(spanish as object)]);
    return [...names].flatMap((name) =>
      faultsOf(`${path}.${name}`, (text as never)[name], (spanish as never)[name]),
    );
  }
  return text === spanish &&
    /\p{L}{2}/u.test(String(text)) &&
    !same.has(String(text).toLowerCase()) &&
    !isCode(String(text))
    ? fault(`is English: ${text}`)
    : [];
}

test.each(english)("the Spanish texts of %s are those of the English file, in other words", async (path) => {
  const [texts, spanish] = await Promise.all([import(join(folder, path)), import(join(folder, "es", path))]);
  expect(faultsOf(path, { ...texts }, { ...spanish })).toEqual([]);
});

test("every description of an agent, a pipeline and a guardrail is in Spanish", () => {
  const descriptions = new Set(
    [jsonSchemaOf(agentKind({})), jsonSchemaOf(ragPipelineKind({})), ...guardrailKinds.values()].flatMap(
      descriptionsIn,
    ),
  );
  expect(descriptions.size).toBeGreaterThan(200);
  expect([...descriptions].filter((text) => descriptionText(text) === text)).toEqual([]);
});

function descriptionsIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "description" && typeof value === "string" ? [value] : descriptionsIn(value),
  );
}

test("each file of English texts has one of Spanish texts, and no more", () => {
  expect(pathsIn(join(folder, "es"))).toEqual(english);
});

const saved = (name: string) => `Saved ${name}`;

test.each([
  ["a missing text", { a: "One" }, {}, ["x.a is of another kind"]],
  ["a text that English no longer has", {}, { a: "Uno" }, ["x.a is of another kind"]],
  ["an English text", { a: ["One"] }, { a: ["One"] }, ["x.a.0 is English: One"]],
  [
    "an English text with a value",
    { a: saved },
    { a: (name: string) => `Saved ${name}` },
    ["x.a is English"],
  ],
  ["a value that Spanish doesn't show", { a: saved }, { a: () => "" }, ["x.a takes 0 of 1 values"]],
  ["a function for a text", { a: "One" }, { a: saved }, ["x.a is of another kind"]],
])("%s is a fault", (_, texts, spanish, faults) => {
  expect(faultsOf("x", texts, spanish)).toEqual(faults);
});
