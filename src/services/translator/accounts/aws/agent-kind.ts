import { isRecord } from "../../../../kit/json/is-record.ts";
import type { JsonObject } from "../../mapping/section-table.ts";
import { pollUntil } from "../cloud-call.ts";
import { asUnfinished } from "../owner-marks.ts";
import { readTags, writeTags } from "./agent-tags.ts";
import { releaseAliases } from "./alias-kind.ts";
import { type AwsKind, pick } from "./aws-kind.ts";
import { onceRoleIsKnown } from "./known-role.ts";
import { agentOf, getAgent as get, agentPath as path, prepare } from "./prepare-agent.ts";

const fields = [
  "agentName",
  "agentResourceRoleArn",
  "description",
  "foundationModel",
  "guardrailConfiguration",
  "idleSessionTTLInSeconds",
  "instruction",
  "memoryConfiguration",
  "promptOverrideConfiguration",
];

/** `bedrock.agent`: a change is made to the draft, which is prepared; then the spec's aliases get a new version of it. */
export const agentKind: AwsKind = {
  resource_type: "bedrock.agent",
  fixed: [],

  async list(api, _held, signal) {
    const summaries = await api.list(
      { service: "agents", method: "POST", path: "/agents/" },
      "agentSummaries",
      signal,
    );
    return summaries.map(({ agentId }) => String(agentId));
  },

  async read(api, id, signal) {
    const agent = await get(api, id, signal);
    if (agent === undefined || agent.agentStatus === "DELETING") return undefined;
    const tags = await readTags(api, "agents", String(agent.agentArn), signal);
    return { id: String(agent.agentId), tags, config: configOf(agent) };
  },

  async create(work, config, tags) {
    const { api, name, operation, signal } = work;
    const body = { ...pick(config, fields), tags: asUnfinished(tags), clientToken: api.ports.newId() };
    const made = await onceRoleIsKnown(work, () =>
      api.call({
        service: "agents",
        method: "PUT",
        path: "/agents/",
        body,
        action: `create ${name}`,
        signal,
      }),
    );
    const { agentId, agentArn } = agentOf(made);
    const id = String(agentId);
    await operation.began(`agent/${id}`);
    await prepare(work, id);
    await writeTags(api, "agents", String(agentArn), { tags, unwanted: [] }, signal);
    return id;
  },

  async update(work, id, { config, tags, unwanted }) {
    const { api, name, signal } = work;
    const body = pick(config, fields);
    const arn = String((await get(api, id, signal))?.agentArn);
    await writeTags(api, "agents", arn, { tags: asUnfinished(tags), unwanted }, signal);
    await onceRoleIsKnown(work, () =>
      api.call({ service: "agents", method: "PUT", path: path(id), body, action: `change ${name}`, signal }),
    );
    await prepare(work, id);
    await releaseAliases(work, id);
    await writeTags(api, "agents", arn, { tags, unwanted: [] }, signal);
  },

  async delete({ api, name, signal }, id) {
    const deletionPath = `${path(id)}?skipResourceInUseCheck=true`;
    await api.call({
      service: "agents",
      method: "DELETE",
      path: deletionPath,
      action: `delete ${name}`,
      signal,
    });
    await pollUntil(api.clock, signal, `The deletion of ${name}`, async () =>
      (await get(api, id, signal)) === undefined ? true : undefined,
    );
  },
};

/** The cloud returns all prompts; only overridden ones and those with settings of ours are of interest. */
function configOf(agent: JsonObject): JsonObject {
  const config = pick(agent, fields);
  const prompts = isRecord(config.promptOverrideConfiguration)
    ? config.promptOverrideConfiguration.promptConfigurations
    : undefined;
  if (!Array.isArray(prompts)) return config;
  const ours = prompts.filter((one) => isRecord(one) && one.promptType === "ORCHESTRATION");
  const { promptOverrideConfiguration: _, ...others } = config;
  return ours.length === 0
    ? others
    : { ...others, promptOverrideConfiguration: { promptConfigurations: ours } };
}
