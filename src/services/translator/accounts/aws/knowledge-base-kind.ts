import { valueAt, withValueAt } from "../../../../declared/value-at-path.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import type { JsonObject } from "../../mapping/section-table.ts";
import { pollUntil, refusalError } from "../cloud-call.ts";
import { readTags, writeTags } from "./agent-tags.ts";
import { type AwsApi, cloud } from "./aws-api.ts";
import { type AwsKind, type AwsWork, pick } from "./aws-kind.ts";
import { onceRoleIsKnown } from "./known-role.ts";

const fields = ["name", "description", "roleArn", "knowledgeBaseConfiguration", "storageConfiguration"];
const model = "knowledgeBaseConfiguration.vectorKnowledgeBaseConfiguration.embeddingModelArn";

const path = (id: string) => `/knowledgebases/${encodeURIComponent(id)}`;

/** `bedrock.knowledge_base`: the id is the knowledge base's own. */
export const knowledgeBaseKind: AwsKind = {
  resource_type: "bedrock.knowledge_base",
  fixed: ["knowledgeBaseConfiguration", "storageConfiguration"],

  async list(api, _held, signal) {
    const call = { service: "agents", method: "POST", path: "/knowledgebases/" } as const;
    const summaries = await api.list(call, "knowledgeBaseSummaries", signal);
    return summaries.map(({ knowledgeBaseId }) => String(knowledgeBaseId));
  },

  async read(api, id, signal) {
    const knowledgeBase = await get(api, id, signal);
    if (knowledgeBase === undefined || knowledgeBase.status === "DELETING") return undefined;
    const tags = await readTags(api, "agents", String(knowledgeBase.knowledgeBaseArn), signal);
    return {
      id: String(knowledgeBase.knowledgeBaseId),
      tags,
      config: fromRegion(pick(knowledgeBase, fields), api),
    };
  },

  async create(work, config, tags) {
    const { api, name, operation, signal } = work;
    const body = { ...toRegion(pick(config, fields), api), tags, clientToken: api.ports.newId() };
    const made = await onceRoleIsKnown(work, () =>
      api.call({
        service: "agents",
        method: "PUT",
        path: "/knowledgebases/",
        body,
        action: `create ${name}`,
        signal,
      }),
    );
    const id = String(baseOf(made).knowledgeBaseId);
    await operation.began(`knowledge-base/${id}`);
    await settled(work, id);
    return id;
  },

  async update(work, id, { config, tags, unwanted }) {
    const { api, name, signal } = work;
    const body = toRegion(pick(config, fields), api);
    const changed = await onceRoleIsKnown(work, () =>
      api.call({ service: "agents", method: "PUT", path: path(id), body, action: `change ${name}`, signal }),
    );
    await settled(work, id);
    await writeTags(api, "agents", String(baseOf(changed).knowledgeBaseArn), { tags, unwanted }, signal);
  },

  async delete({ api, name, signal }, id) {
    await api.call({ service: "agents", method: "DELETE", path: path(id), action: `delete ${name}`, signal });
    await pollUntil(api.clock, signal, `The deletion of ${name}`, async () =>
      (await get(api, id, signal)) === undefined ? true : undefined,
    );
  },
};

const baseOf = (answer: JsonObject | undefined): JsonObject =>
  isRecord(answer?.knowledgeBase) ? answer.knowledgeBase : {};

async function get(api: AwsApi, id: string, signal: AbortSignal): Promise<JsonObject | undefined> {
  const answer = await api.call({
    service: "agents",
    method: "GET",
    path: path(id),
    action: `read ${id}`,
    signal,
  });
  return answer && baseOf(answer);
}

async function settled({ api, name, signal }: AwsWork, id: string): Promise<void> {
  await pollUntil(api.clock, signal, `The knowledge base ${name}`, async () => {
    const knowledgeBase = await get(api, id, signal);
    const state = String(knowledgeBase?.status ?? "gone");
    if (state === "FAILED" || state === "gone") {
      const reasons = Array.isArray(knowledgeBase?.failureReasons)
        ? knowledgeBase.failureReasons.join(" ")
        : "";
      throw refusalError({ cloud, action: `make ${name} ready`, status: 0, code: state, message: reasons });
    }
    return state === "ACTIVE" ? true : undefined;
  });
}

/* A config doesn't know the account's region, which the ARN of a model has. */
const anywhere = "arn:aws:bedrock:::";
const here = ({ region }: AwsApi) => `arn:aws:bedrock:${region}::`;

function toRegion(config: JsonObject, api: AwsApi): JsonObject {
  const arn = valueAt(config, model);
  if (typeof arn !== "string" || !arn.startsWith(anywhere)) return config;
  return withValueAt(config, model, here(api) + arn.slice(anywhere.length));
}

function fromRegion(config: JsonObject, api: AwsApi): JsonObject {
  const arn = valueAt(config, model);
  if (typeof arn !== "string" || !arn.startsWith(here(api))) return config;
  return withValueAt(config, model, anywhere + arn.slice(here(api).length));
}
