import { readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Eta } from "eta";
import type { ChosenModel } from "../../../command/choose-model.ts";
import { AppError } from "../../../kit/app-error.ts";
import { usageError } from "../../terminal/report-error.ts";
import agentTemplate from "./agent.yaml.eta" with { type: "text" };
import evalTemplate from "./eval.yaml.eta" with { type: "text" };
import providersTemplate from "./providers.yaml.eta" with { type: "text" };
import runtimeTemplate from "./runtime.yaml.eta" with { type: "text" };
import toolTemplate from "./stock-level.ts.eta" with { type: "text" };

export interface WorkspaceChoices {
  /** The agent's name. */
  agent: string;
  /** True if existing files are overwritten. */
  force: boolean;
  /** The model of its agents; without one, they answer by rules. */
  model?: ChosenModel | undefined;
}

/** The same pattern as in the agent's schema; checked before a file is named after the agent. */
const agentName = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Writes the files of a new workspace and returns their names. Without `force`, only the model is written if the files are there and nobody
 * has changed them, and nothing if one of them exists otherwise.
 */
export async function writeWorkspace(
  folder: string,
  { agent, force, model }: WorkspaceChoices,
): Promise<string[]> {
  if (!agentName.test(agent) || agent === "by-id") {
    throw usageError(
      `${JSON.stringify(agent)} is not a valid agent name.`,
      "Use up to 63 lower-case letters, digits and hyphens.",
    );
  }
  const files = new Map([
    [`agents/${agent}.agent.yaml`, rendered(agentTemplate, { agent, model })],
    [`evals/${agent}.eval.yaml`, rendered(evalTemplate, { agent })],
    ["tools/stock_level.ts", rendered(toolTemplate, { agent })],
    ["providers.yaml", rendered(providersTemplate, { agent, model })],
    ["runtime.yaml", rendered(runtimeTemplate, { agent })],
  ]);
  if (!force && model !== undefined && isUntouched(folder, agent)) return giveModel(folder, model, agent);
  if (!force) await refuseExisting(folder, [...files.keys()], model);
  for (const [name, text] of files) {
    await write(join(folder, name), text, force ? "w" : "wx");
  }
  return [...files.keys(), ...(await ignoreData(folder))];
}

export const usualAgent = "assistant";

/** The files that name the model, with their templates. */
const modelFiles = (agent: string): [name: string, template: string][] => [
  [`agents/${agent}.agent.yaml`, agentTemplate],
  ["providers.yaml", providersTemplate],
];

/** True if the files of `writeWorkspace` that name the model are as it wrote them, without one. */
export function isUntouched(folder: string, agent = usualAgent): boolean {
  try {
    return modelFiles(agent).every(
      ([name, template]) => readFileSync(join(folder, name), "utf8") === rendered(template, { agent }),
    );
  } catch {
    return false;
  }
}

/** Writes the model into the files of an untouched workspace, and returns their names. */
export async function giveModel(folder: string, model: ChosenModel, agent = usualAgent): Promise<string[]> {
  const files = modelFiles(agent);
  for (const [name, template] of files)
    await write(join(folder, name), rendered(template, { agent, model }), "w");
  return files.map(([name]) => name);
}

function rendered(template: string, values: { agent: string; model?: ChosenModel | undefined }): string {
  return new Eta({ autoEscape: false, autoTrim: false }).renderString(template, values);
}

async function refuseExisting(
  folder: string,
  names: readonly string[],
  model: ChosenModel | undefined,
): Promise<void> {
  const existing: string[] = [];
  for (const name of names) if ((await readIfThere(join(folder, name))) !== undefined) existing.push(name);
  if (existing.length === 0) return;
  throw new AppError("conflict", "files_exist", `${folder} already contains ${existing.join(", ")}.`, {
    details: { hint: model === undefined ? anotherFolder : `${entryOf(model)} ${anotherFolder}` },
  });
}

const anotherFolder = "Choose another folder, or overwrite the files with --force.";

/** How the model is added to a file that someone has changed. */
function entryOf({ name, type, endpoint, keyVariable, model }: ChosenModel): string {
  const entry = JSON.stringify({ type, endpoint, api_key_env: keyVariable });
  return `To use the model, add \`${name}: ${entry}\` to \`providers\` in providers.yaml, and name \`{provider: ${name}, model: ${JSON.stringify(model)}}\` under \`default.candidates\`.`;
}

/** Keeps the data and local secrets out of git. An existing .gitignore is extended, never replaced. */
async function ignoreData(folder: string): Promise<string[]> {
  const path = join(folder, ".gitignore");
  const before = (await readIfThere(path)) ?? "";
  const present = new Set(before.split("\n").map((line) => line.trim()));
  const missing = [".argosy/", ".env"].filter((line) => !present.has(line));
  if (missing.length === 0) return [];
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  await write(path, `${before}${gap}${missing.join("\n")}\n`, "w");
  return [".gitignore"];
}

async function write(path: string, text: string, flag: "w" | "wx"): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw new AppError("unavailable", "file_unwritable", `${path} can't be written${code}.`, { cause });
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return undefined;
    throw unreadable(path, thrown);
  }
}

function unreadable(path: string, cause: unknown): AppError {
  return new AppError("unavailable", "file_unreadable", `${path} can't be read.`, { cause });
}
