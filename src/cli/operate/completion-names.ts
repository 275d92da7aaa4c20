import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type CommandCall, loadConfig, withServer } from "../call.ts";
import { withPlatform } from "../platform/with-platform.ts";

export const nameKinds = ["agents", "pipelines", "collections", "tenants", "services"] as const;
export type NameKind = (typeof nameKinds)[number];

/** The kind of names that an argument or option of this name takes; undefined for any other. */
export function kindNamed(name: string): NameKind | undefined {
  const singular = name.replace(/^--/, "");
  return nameKinds.find((kind) => kind === singular || kind === `${singular}s`);
}

/** Names of what the running server has; without one, agents and pipelines by their files. Never throws: a shell asks while a person types. */
export async function namesOf(call: CommandCall, kind: NameKind): Promise<string[]> {
  try {
    return await known(call, kind);
  } catch {
    return fromFiles(call, kind).catch(() => []);
  }
}

async function known(call: CommandCall, kind: NameKind): Promise<string[]> {
  if (kind === "services") return Object.keys((await loadConfig(call)).services);
  return withServer(call, async (client) => {
    if (kind === "agents") return (await client.listAgents()).agents.map(({ name }) => name);
    if (kind === "pipelines") return (await client.listPipelines()).pipelines.map(({ name }) => name);
    if (kind === "collections") return (await client.listCollections()).collections.map(({ name }) => name);
    return withPlatform(call, {}, async ({ control }) =>
      ((await control?.listLocalTenants())?.tenants ?? []).map(({ id }) => id),
    );
  });
}

async function fromFiles(call: CommandCall, kind: NameKind): Promise<string[]> {
  if (kind !== "agents" && kind !== "pipelines") return [];
  const [folder, end] = kind === "agents" ? ["agents", /\.agent\.ya?ml$/] : ["rag", /\.rag\.ya?ml$/];
  const { workspace } = await loadConfig(call);
  return readdirSync(join(workspace, folder as string))
    .filter((file) => (end as RegExp).test(file))
    .map((file) => file.replace(end as RegExp, ""));
}
