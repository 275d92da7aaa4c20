import { isRecord } from "../../../../kit/json/is-record.ts";
import type { JsonObject } from "../../mapping/section-table.ts";
import { pollUntil, refusalError } from "../cloud-call.ts";
import { markedName } from "../owner-marks.ts";
import { readTags, writeTags } from "./agent-tags.ts";
import { type AwsApi, cloud } from "./aws-api.ts";
import { type AwsKind, type AwsWork, pick } from "./aws-kind.ts";
import { prepareIfNeeded } from "./prepare-agent.ts";

const below = (agentId: string) => `/agents/${encodeURIComponent(agentId)}/agentaliases/`;

/** `bedrock.agent_alias`: the id is `<agent id>/<alias id>`. */
export const aliasKind: AwsKind = {
  resource_type: "bedrock.agent_alias",
  fixed: ["agentId"],

  async list(api, held, signal) {
    const agents = held.filter(({ resource_type }) => resource_type === "bedrock.agent");
    const ids: string[] = [];
    for (const { id } of agents) ids.push(...(await aliasesOf(api, id, signal)));
    return ids;
  },

  async read(api, id, signal) {
    const alias = await get(api, id, signal);
    if (alias === undefined || alias.agentAliasStatus === "DELETING") return undefined;
    const tags = await readTags(api, "agents", String(alias.agentAliasArn), signal);
    return { id, tags, config: pick(alias, ["agentId", "agentAliasName", "description"]) };
  },

  async create(work, { agentId, ...config }, tags) {
    const { api, name, operation, signal } = work;
    const agent = String(agentId);
    await prepareIfNeeded(work, agent);
    const body = { ...pick(config, ["agentAliasName", "description"]), tags, clientToken: api.ports.newId() };
    const made = await api.call({
      service: "agents",
      method: "PUT",
      path: below(agent),
      body,
      action: `create ${name}`,
      signal,
    });
    const id = `${agent}/${String(aliasOf(made).agentAliasId)}`;
    await operation.began(`alias/${id}`);
    await settled(work, id);
    return id;
  },

  async update(work, id, { config, tags, unwanted }) {
    const arn = await release(work, id, pick(config, ["agentAliasName", "description"]));
    await writeTags(work.api, "agents", arn, { tags, unwanted }, work.signal);
  },

  async delete({ api, name, signal }, id) {
    await api.call({
      service: "agents",
      method: "DELETE",
      path: pathOf(id),
      action: `delete ${name}`,
      signal,
    });
    await pollUntil(api.clock, signal, `The deletion of ${name}`, async () =>
      (await get(api, id, signal)) === undefined ? true : undefined,
    );
  },
};

const pathOf = (id: string): string => {
  const [agent = "", alias = ""] = id.split("/");
  return `${below(agent)}${encodeURIComponent(alias)}/`;
};

const aliasOf = (answer: JsonObject | undefined): JsonObject =>
  isRecord(answer?.agentAlias) ? answer.agentAlias : {};

async function aliasesOf(api: AwsApi, agent: string, signal: AbortSignal): Promise<string[]> {
  const summaries = await api.list(
    { service: "agents", method: "POST", path: below(agent) },
    "agentAliasSummaries",
    signal,
  );
  return summaries.map(({ agentAliasId }) => `${agent}/${String(agentAliasId)}`);
}

async function get(api: AwsApi, id: string, signal: AbortSignal): Promise<JsonObject | undefined> {
  const answer = await api.call({
    service: "agents",
    method: "GET",
    path: pathOf(id),
    action: `read ${id}`,
    signal,
  });
  return answer && { ...aliasOf(answer), agentId: id.split("/", 1)[0] };
}

/** Points an alias to a new version of its agent's prepared draft, and returns its ARN. */
async function release(work: AwsWork, id: string, body: JsonObject): Promise<string> {
  const { api, name, signal } = work;
  // Without a routing configuration, the cloud makes a version and points the alias to it.
  const answer = await api.call({
    service: "agents",
    method: "PUT",
    path: pathOf(id),
    body,
    action: `release ${name}`,
    signal,
  });
  await settled(work, id);
  return String(aliasOf(answer).agentAliasArn);
}

/** Points the aliases of an agent that belong to its spec to a new version. */
export async function releaseAliases(work: AwsWork, agent: string): Promise<void> {
  const { api, name, signal } = work;
  for (const id of await aliasesOf(api, agent, signal)) {
    const resource = await aliasKind.read(api, id, signal);
    if (resource !== undefined && markedName(resource.tags, `Agent/${name}`) !== undefined)
      await release(work, id, pick(resource.config, ["agentAliasName", "description"]));
  }
}

async function settled({ api, name, signal }: AwsWork, id: string): Promise<void> {
  await pollUntil(api.clock, signal, `The alias of ${name}`, async () => {
    const alias = await get(api, id, signal);
    const state = String(alias?.agentAliasStatus ?? "gone");
    if (state === "FAILED" || state === "gone") {
      const reasons = Array.isArray(alias?.failureReasons) ? alias.failureReasons.join(" ") : "";
      throw refusalError({ cloud, action: `release ${name}`, status: 0, code: state, message: reasons });
    }
    return state === "PREPARED" ? true : undefined;
  });
}
