import { Type } from "@sinclair/typebox";
import { AppError } from "../../../kit/app-error.ts";
import { presentDetail } from "../agents/present-agent.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { pageOf } from "./page.ts";
import { type AnswerMethod, ListParams, type McpDeps, readParams } from "./rpc-context.ts";

/** Number of latest traces at the end of the resource list. */
const tracesListed = 20;

const agentBase = "argosy://agents/";
const traceBase = "argosy://traces/";
const mimeType = "application/json";

/** `resources/list`: all agents, including those that aren't ready, followed by the latest traces. */
export const listResources: AnswerMethod = async (params, { deps }) => {
  const { cursor } = readParams(ListParams, params);
  const { items, nextCursor } = pageOf(deps.catalog.list(), cursor);
  const agents = items.map(({ name, manifest }) => ({
    uri: agentBase + name,
    name: `agent ${name}`,
    ...describedBy(manifest?.spec.identity.description),
    mimeType,
  }));
  if (nextCursor !== undefined) return { resources: agents, nextCursor };
  return { resources: [...agents, ...(await latestTraces(deps))] };
};

function describedBy(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}

export const listResourceTemplates: AnswerMethod = (params) => {
  readParams(ListParams, params);
  return {
    resourceTemplates: [
      {
        uriTemplate: `${agentBase}{name}`,
        name: "agent",
        description: "Loaded agent: model, pattern, tools, memory and status.",
        mimeType,
      },
      {
        uriTemplate: `${traceBase}{trace_id}`,
        name: "trace",
        description: "Steps of a run, with times.",
        mimeType,
      },
    ],
  };
};

const ReadParams = Type.Object({ uri: Type.String({ maxLength: 2048 }) });

/** `resources/read`: throws AppError `resource_not_found`. */
export const readResource: AnswerMethod = async (params, { deps }) => {
  const { uri } = readParams(ReadParams, params);
  const value = await findResource(deps, uri);
  if (value === undefined) {
    throw new AppError("not_found", "resource_not_found", "There is no resource with this URI.", {
      details: { hint: "resources/templates/list shows the form of the URIs.", facts: { uri } },
    });
  }
  return { contents: [{ uri, mimeType, text: JSON.stringify(value) }] };
};

async function findResource({ catalog, traces }: McpDeps, uri: string): Promise<object | undefined> {
  if (uri.startsWith(agentBase)) {
    const entry = await catalog.findFresh(uri.slice(agentBase.length));
    return entry && presentDetail(catalog, entry);
  }
  return uri.startsWith(traceBase) ? traces.find(operatorTenant, uri.slice(traceBase.length)) : undefined;
}

async function latestTraces({ traces }: McpDeps): Promise<object[]> {
  const { traces: latest } = await traces.list(operatorTenant, { limit: tracesListed });
  return latest.map(({ trace_id, agent, status, start_time }) => ({
    uri: traceBase + trace_id,
    name: `trace ${trace_id}`,
    description: `A run of ${agent} at ${start_time}: ${status}.`,
    mimeType,
  }));
}
