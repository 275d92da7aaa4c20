import { expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { compileScript } from "../../../support/compile-script.ts";
import { outputUnlessKilled } from "../../../support/killed-process.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";
import { agentYaml, deskYaml, handbookYaml } from "../../../support/translator.ts";

interface Held {
  id: string;
  spec: string;
  resource_type: string;
  name: string;
  config: unknown;
}

/** Runs the translator as a process. Returns undefined if it was killed. */
async function runTranslator(script: string, folder: string, killAt: string, manifests: readonly string[]) {
  const text = await outputUnlessKilled([script, folder, killAt, ...manifests]);
  if (text === undefined) return undefined;
  const { held, plans, open } = JSON.parse(text) as {
    held: { resources: Held[] };
    plans: { changes: unknown[]; drifted: boolean }[];
    open: unknown[];
  };
  const { resources } = held;
  // Ids are the account's own: what refers to them refers to the resource of that name.
  const idless = (value: unknown) =>
    resources.reduce((left, { id, name }) => left.replaceAll(id, name), JSON.stringify(value));
  return {
    held: resources
      .map(({ spec, resource_type, name, config }) => [spec, resource_type, name, idless(config)])
      .sort(),
    plans,
    open,
  };
}

const before = [handbookYaml, deskYaml];
/** Updates the agent, deletes its template, and creates another agent. */
const after = [
  handbookYaml.replace("The handbook.", "The new handbook."),
  deskYaml
    .replace("two sentences", "three sentences")
    .replace("input: [{type: pii_detection, action: redact}]", "input: []"),
  agentYaml("night-desk"),
];

test("a process killed at any commit of its applies, and then an apply, ends like an apply alone", async () => {
  using code = temporaryFolder();
  const script = await compileScript(join(import.meta.dirname, "killed-translator.ts"), code.path);
  const translator = (...args: [folder: string, killAt: string, manifests: readonly string[]]) =>
    runTranslator(script, ...args);
  using alone = temporaryFolder();
  const expected = await translator(alone.path, "-", after);
  expect(expected?.held).toHaveLength(3);
  expect(expected?.plans).toEqual(Array.from({ length: 3 }, () => ({ changes: [], drifted: false })));
  using begun = temporaryFolder();
  await translator(begun.path, "-", before);
  let kills = 0;
  for (let commit = 1; ; commit++) {
    using folder = temporaryFolder();
    cpSync(begun.path, folder.path, { recursive: true });
    const side = commit % 2 === 0 ? "before" : "after";
    if ((await translator(folder.path, `${commit}-${side}`, after)) !== undefined) break;
    kills++;
    expect([commit, await translator(folder.path, "-", after)]).toEqual([commit, expected]);
  }
  // Submits, leases, begins, changes, records and ends of three specs.
  expect(kills).toBeGreaterThan(20);
}, 300_000);
