import { isRecord } from "../../../../kit/json/is-record.ts";
import type { JsonObject } from "../../mapping/section-table.ts";
import { pollUntil, refusalError } from "../cloud-call.ts";
import { type AwsApi, cloud } from "./aws-api.ts";
import { type AwsKind, type AwsWork, pick } from "./aws-kind.ts";

const texts = ["name", "description", "blockedInputMessaging", "blockedOutputsMessaging"];

/** Policies as they are sent, with their lists, and as they come back. */
const policies = [
  ["contentPolicyConfig", "filtersConfig", "contentPolicy", "filters"],
  ["topicPolicyConfig", "topicsConfig", "topicPolicy", "topics"],
  ["wordPolicyConfig", "wordsConfig", "wordPolicy", "words"],
  ["sensitiveInformationPolicyConfig", "piiEntitiesConfig", "sensitiveInformationPolicy", "piiEntities"],
] as const;

const path = (id: string) => `/guardrails/${encodeURIComponent(id)}`;

/** `bedrock.guardrail`: the id is the guardrail's own, which agents name. */
export const guardrailKind: AwsKind = {
  resource_type: "bedrock.guardrail",
  fixed: [],

  async list(api, _held, signal) {
    const summaries = await api.list(
      { service: "bedrock", method: "GET", path: "/guardrails" },
      "guardrails",
      signal,
    );
    return summaries.map(({ id }) => String(id));
  },

  async read(api, id, signal) {
    const guardrail = await get(api, id, signal);
    if (guardrail === undefined || guardrail.status === "DELETING") return undefined;
    const resourceARN = String(guardrail.guardrailArn);
    const action = `read the tags of ${id}`;
    const answer = await api.call({
      service: "bedrock",
      method: "POST",
      path: "/listTagsForResource",
      body: { resourceARN },
      isRead: true,
      action,
      signal,
    });
    const tags = Array.isArray(answer?.tags) ? answer.tags.filter(isRecord) : [];
    return {
      id: String(guardrail.guardrailId),
      tags: Object.fromEntries(tags.map(({ key, value }) => [String(key), String(value)])),
      config: configOf(guardrail),
    };
  },

  async create(work, config, tags) {
    const { api, name, signal } = work;
    const body = { ...config, tags: pairs(tags), clientRequestToken: api.ports.newId() };
    const made = await api.call({
      service: "bedrock",
      method: "POST",
      path: "/guardrails",
      body,
      action: `create ${name}`,
      signal,
    });
    const id = String(made?.guardrailId);
    await settled(work, id);
    return id;
  },

  async update(work, id, { config, tags, unwanted }) {
    const { api, name, signal } = work;
    const action = `change ${name}`;
    const { tags: _, ...body } = config;
    const changed = await api.call({
      service: "bedrock",
      method: "PUT",
      path: path(id),
      body,
      action,
      signal,
    });
    const resourceARN = String(changed?.guardrailArn);
    if (unwanted.length > 0) {
      const body = { resourceARN, tagKeys: unwanted };
      await api.call({ service: "bedrock", method: "POST", path: "/untagResource", body, action, signal });
    }
    const tagged = { resourceARN, tags: pairs(tags) };
    await api.call({
      service: "bedrock",
      method: "POST",
      path: "/tagResource",
      body: tagged,
      action,
      signal,
    });
    await settled(work, id);
  },

  async delete({ api, name, signal }, id) {
    await api.call({
      service: "bedrock",
      method: "DELETE",
      path: path(id),
      action: `delete ${name}`,
      signal,
    });
    await pollUntil(api.clock, signal, `The deletion of ${name}`, async () =>
      (await get(api, id, signal)) === undefined ? true : undefined,
    );
  },
};

const get = (api: AwsApi, id: string, signal: AbortSignal) =>
  api.call({ service: "bedrock", method: "GET", path: path(id), action: `read ${id}`, signal });

async function settled({ api, name, signal }: AwsWork, id: string): Promise<void> {
  await pollUntil(api.clock, signal, `The guardrail ${name}`, async () => {
    const guardrail = await get(api, id, signal);
    if (guardrail?.status === "FAILED" || guardrail === undefined) {
      const message = JSON.stringify(guardrail?.statusReasons ?? "It is gone.");
      throw refusalError({ cloud, action: `make ${name} ready`, status: 0, code: "FAILED", message });
    }
    return guardrail.status === "READY" ? true : undefined;
  });
}

const pairs = (tags: Readonly<Record<string, string>>) =>
  Object.entries(tags).map(([key, value]) => ({ key, value }));

function configOf(guardrail: JsonObject): JsonObject {
  const config = pick(guardrail, texts);
  for (const [sentPolicy, sentList, policy, list] of policies) {
    const currentPolicy = guardrail[policy];
    const elements = isRecord(currentPolicy) ? currentPolicy[list] : undefined;
    if (Array.isArray(elements) && elements.length > 0) config[sentPolicy] = { [sentList]: elements };
  }
  return config;
}
