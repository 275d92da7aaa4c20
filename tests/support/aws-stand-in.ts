import type { AwsSettings } from "../../src/services/translator/accounts/aws/aws-api.ts";
import { signedFor } from "./aws-signature.ts";
import type { CloudWrite } from "./gcp-stand-in.ts";
import { type IamRole, iamAnswer } from "./iam-stand-in.ts";
import { bodyFault } from "./published-body.ts";
import { type StagedFailure, StagedFailures } from "./staged-failures.ts";

type Json = Record<string, unknown>;
type Tags = Record<string, string>;

/** A resource, and the looks until it has the state that it is on the way to. */
interface Held {
  arn: string;
  tags: Tags;
  body: Json;
  status: string;
  next?: { status: string; looks: number };
}

export interface AwsStandIn extends AsyncDisposable {
  settings: AwsSettings;
  roles: Map<string, IamRole>;
  agents: Map<string, Held>;
  /** By `<agent>/<alias>`; `version` in the body counts releases. */
  aliases: Map<string, Held>;
  guardrails: Map<string, Held>;
  knowledgeBases: Map<string, Held>;
  /** By ARN. */
  indexes: Map<string, Held>;
  writes: CloudWrite[];
  buckets: Set<string>;
  fail(failure: StagedFailure): void;
  /** Called when an agent is about to be prepared. */
  onPrepare: () => void;
}

const account = "123456789012";
const region = "eu-central-1";
const looks = 2;
const pageMax = 2;

const noThing = () => refusal(404, "ResourceNotFoundException", "The resource doesn't exist.");

/**
 * Stands in for IAM, Agents for Amazon Bedrock, Bedrock and S3 Vectors: checks signatures and bodies by the published descriptions, has states
 * that change with looks, pages of two elements, and what the real services add. It proves that requests follow the descriptions, not that
 * the cloud accepts them.
 */
export function startAwsStandIn(): AwsStandIn {
  const keys = {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  };
  const failures = new StagedFailures();
  let counter = 0;
  const nextId = (prefix: string) => `${prefix}${String(++counter).padStart(10 - prefix.length, "0")}`;
  const arn = (service: string, rest: string) => `arn:aws:${service}:${region}:${account}:${rest}`;
  const server = Bun.serve({ port: 0, idleTimeout: 0, hostname: "127.0.0.1", fetch: answer });
  const standIn: AwsStandIn = {
    settings: { ...keys, region, endpoint: `http://127.0.0.1:${server.port}` },
    roles: new Map(),
    agents: new Map(),
    aliases: new Map(),
    guardrails: new Map(),
    knowledgeBases: new Map(),
    indexes: new Map(),
    writes: [],
    buckets: new Set(["argosy-vectors"]),
    fail: (failure) => failures.add(failure),
    onPrepare: () => {},
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
  const { roles, agents, aliases, guardrails, knowledgeBases, indexes, writes } = standIn;

  async function answer(request: Request): Promise<Response> {
    const text = await request.text();
    const signed = signedFor(request, text, keys);
    if (signed === undefined)
      return refusal(403, "InvalidSignatureException", "The request signature we calculated does not match.");
    const url = new URL(request.url);
    if (signed.service === "iam") {
      const form = Object.fromEntries(new URLSearchParams(text));
      const failure = failures.take("POST", form.Action ?? "");
      if (signed.region !== "us-east-1")
        return refusal(403, "SignatureDoesNotMatch", "Credential should be scoped to us-east-1.");
      if (/^(?!Get|List)/.test(form.Action ?? ""))
        writes.push({ method: form.Action ?? "", path: form.RoleName ?? "", body: form });
      return failure ? xmlFailure(failure) : iamAnswer(roles, form, account);
    }
    const failure = failures.take(request.method, url.pathname);
    if (failure !== undefined && failure.isDone !== true) return failed(failure);
    const body = text === "" ? {} : (JSON.parse(text) as Json);
    const given = handle(request.method, url, body, signed);
    return failure === undefined ? given : failed(failure);
  }

  function handle(
    method: string,
    { pathname, searchParams }: URL,
    body: Json,
    signed: { service: string; region: string },
  ): Response {
    const path = pathname.split("/").map(decodeURIComponent);
    const isRead =
      method === "GET" ||
      (method === "POST" &&
        /^\/(?:agents|knowledgebases)\/$|agentaliases\/$|^\/(?:ListIndexes|GetIndex|listTagsForResource)$/.test(
          pathname,
        ));
    if (!isRead) writes.push({ method, path: decodeURIComponent(pathname), body });
    const isVectors = /^\/(?:\w*Index|ListIndexes)/.test(pathname) || pathname.includes("s3vectors");
    if (signed.region !== region || signed.service !== (isVectors ? "s3vectors" : "bedrock"))
      return refusal(
        403,
        "InvalidSignatureException",
        "Credential should be scoped to another service or region.",
      );
    if (path[1] === "tags") return tagging(method, pathname, searchParams, body);
    if (path[1] === "guardrails") return guardrail(method, path[2], searchParams, body);
    if (/TagsForResource|[tT]agResource$/.test(pathname)) return guardrailTags(pathname, body);
    if (path[1] === "knowledgebases") return knowledgeBase(method, path[2] ?? "", body);
    if (path[1] === "agents" && path[3] === "agentaliases")
      return alias(method, path[2] ?? "", path[4] ?? "", body);
    if (path[1] === "agents") return agent(method, path[2] ?? "", body);
    return vectorIndex(pathname, body);
  }

  const invalid = (shape: string, body: unknown) => {
    const fault = bodyFault(shape, body);
    return fault === undefined ? undefined : refusal(400, "ValidationException", fault);
  };

  function tagging(method: string, pathname: string, query: URLSearchParams, body: Json): Response {
    const wanted = decodeURIComponent(pathname.slice("/tags/".length));
    const all = [agents, aliases, knowledgeBases, indexes].flatMap((map) => [...map.values()]);
    const found = all.find((one) => one.arn === wanted);
    if (found === undefined) return noThing();
    if (method === "DELETE") for (const key of query.getAll("tagKeys")) delete found.tags[key];
    if (method === "POST") {
      const fault = invalid("agents/TagResource", body);
      if (fault) return fault;
      Object.assign(found.tags, body.tags);
    }
    return Response.json(method === "GET" ? { tags: found.tags } : {});
  }

  function agent(method: string, id: string, body: Json): Response {
    if (method === "POST" && id === "")
      return page(agents, body, "agentSummaries", (one, agentId) => ({
        agentId,
        agentName: one.body.agentName,
        agentStatus: one.status,
      }));
    const shown = (held: Held, agentId: string) =>
      Response.json({
        agent: {
          ...withAllPrompts(held.body),
          agentId,
          agentArn: held.arn,
          agentStatus: held.status,
          agentVersion: "DRAFT",
          createdAt: "2026-03-10T12:00:00Z",
        },
      });
    if (method === "PUT" && id === "") {
      const fault = invalid("agents/CreateAgent", body);
      if (fault) return fault;
      if ([...agents.values()].some((one) => one.body.agentName === body.agentName))
        return refusal(409, "ConflictException", `An agent named ${String(body.agentName)} exists.`);
      if (!hasRole(body.agentResourceRoleArn))
        return refusal(400, "ValidationException", "The role can't be assumed by Bedrock.");
      const { tags = {}, clientToken: _, ...rest } = body;
      const agentId = nextId("AG");
      agents.set(agentId, {
        arn: arn("bedrock", `agent/${agentId}`),
        tags: { ...(tags as Tags) },
        body: rest,
        status: "CREATING",
        next: { status: "NOT_PREPARED", looks },
      });
      return shown(agents.get(agentId) as Held, agentId);
    }
    const held = looked(agents, id);
    if (held === undefined) return noThing();
    if (method === "PUT") {
      const fault = invalid("agents/UpdateAgent", body);
      if (fault) return fault;
      Object.assign(held, { body, status: "UPDATING", next: { status: "NOT_PREPARED", looks } });
    }
    if (method === "POST") {
      if (held.next !== undefined) return refusal(400, "ValidationException", `The agent is ${held.status}.`);
      standIn.onPrepare();
      Object.assign(held, { status: "PREPARING", next: { status: "PREPARED", looks } });
    }
    if (method === "DELETE") {
      for (const key of aliases.keys()) if (key.startsWith(`${id}/`)) aliases.delete(key);
      Object.assign(held, { status: "DELETING", next: { status: "gone", looks } });
    }
    return shown(held, id);
  }

  function alias(method: string, agentId: string, id: string, body: Json): Response {
    const owner = agents.get(agentId);
    if (owner === undefined) return noThing();
    const inside = new Map([...aliases].filter(([key]) => key.startsWith(`${agentId}/`)));
    const bare = (key: string) => key.split("/")[1];
    if (method === "POST")
      return page(inside, body, "agentAliasSummaries", (one, key) => ({
        agentAliasId: bare(key),
        agentAliasName: one.body.agentAliasName,
      }));
    const shown = (held: Held, key: string) =>
      Response.json({
        agentAlias: {
          ...held.body,
          agentId,
          agentAliasId: bare(key),
          agentAliasArn: held.arn,
          agentAliasStatus: held.status,
          routingConfiguration: [{ agentVersion: String(held.body.version) }],
        },
      });
    if (method !== "GET" && method !== "DELETE" && owner.status !== "PREPARED")
      return refusal(400, "ValidationException", "The agent isn't prepared.");
    if (method === "PUT" && id === "") {
      const fault = invalid("agents/CreateAgentAlias", body);
      if (fault) return fault;
      const { tags = {}, clientToken: _, ...rest } = body;
      const key = `${agentId}/${nextId("AL")}`;
      aliases.set(key, {
        arn: arn("bedrock", `agent-alias/${key}`),
        tags: { ...(tags as Tags) },
        body: { ...rest, version: 1 },
        status: "CREATING",
        next: { status: "PREPARED", looks },
      });
      return shown(aliases.get(key) as Held, key);
    }
    const key = `${agentId}/${id}`;
    const held = looked(aliases, key);
    if (held === undefined) return noThing();
    if (method === "PUT") {
      const fault = invalid("agents/UpdateAgentAlias", body);
      if (fault) return fault;
      Object.assign(held, {
        body: { ...body, version: Number(held.body.version) + 1 },
        status: "UPDATING",
        next: { status: "PREPARED", looks },
      });
    }
    if (method === "DELETE") Object.assign(held, { status: "DELETING", next: { status: "gone", looks } });
    return shown(held, key);
  }

  function guardrail(method: string, id: string | undefined, query: URLSearchParams, body: Json): Response {
    if (method === "GET" && id === undefined)
      return page(guardrails, Object.fromEntries(query), "guardrails", (one, key) => ({
        id: key,
        arn: one.arn,
        name: one.body.name,
        status: one.status,
      }));
    const made = (held: Held, guardrailId: string) =>
      Response.json({
        guardrailId,
        guardrailArn: held.arn,
        version: "DRAFT",
        createdAt: "2026-03-10T12:00:00Z",
      });
    if (method === "POST") {
      const fault = invalid("bedrock/CreateGuardrail", body);
      if (fault) return fault;
      if ([...guardrails.values()].some((one) => one.body.name === body.name))
        return refusal(409, "ConflictException", "Another guardrail has this name.");
      const { tags = [], clientRequestToken: _, ...rest } = body;
      const key = nextId("gr");
      guardrails.set(key, {
        arn: arn("bedrock", `guardrail/${key}`),
        tags: Object.fromEntries(
          (tags as { key: string; value: string }[]).map((tag) => [tag.key, tag.value]),
        ),
        body: rest,
        status: "CREATING",
        next: { status: "READY", looks },
      });
      return made(guardrails.get(key) as Held, key);
    }
    const held = looked(guardrails, id ?? "");
    if (held === undefined) return noThing();
    if (method === "PUT") {
      const fault = invalid("bedrock/UpdateGuardrail", body);
      if (fault) return fault;
      Object.assign(held, { body, status: "UPDATING", next: { status: "READY", looks } });
      return made(held, id ?? "");
    }
    if (method === "DELETE") Object.assign(held, { status: "DELETING", next: { status: "gone", looks } });
    const {
      contentPolicyConfig,
      topicPolicyConfig,
      wordPolicyConfig,
      sensitiveInformationPolicyConfig,
      ...rest
    } = held.body as Record<string, Json | undefined>;
    return Response.json({
      ...rest,
      guardrailId: id,
      guardrailArn: held.arn,
      status: held.status,
      version: "DRAFT",
      ...(contentPolicyConfig && {
        contentPolicy: { filters: contentPolicyConfig.filtersConfig, tier: { tierName: "CLASSIC" } },
      }),
      ...(topicPolicyConfig && { topicPolicy: { topics: topicPolicyConfig.topicsConfig } }),
      ...(wordPolicyConfig && { wordPolicy: { words: wordPolicyConfig.wordsConfig, managedWordLists: [] } }),
      ...(sensitiveInformationPolicyConfig && {
        sensitiveInformationPolicy: {
          piiEntities: sensitiveInformationPolicyConfig.piiEntitiesConfig,
          regexes: [],
        },
      }),
    });
  }

  function guardrailTags(pathname: string, { resourceARN, tags, tagKeys }: Json): Response {
    const held = [...guardrails.values()].find((one) => one.arn === resourceARN);
    if (held === undefined) return noThing();
    if (pathname === "/listTagsForResource")
      return Response.json({ tags: Object.entries(held.tags).map(([key, value]) => ({ key, value })) });
    for (const { key, value } of (tags ?? []) as { key: string; value: string }[]) held.tags[key] = value;
    for (const key of (tagKeys ?? []) as string[]) delete held.tags[key];
    return Response.json({});
  }

  function knowledgeBase(method: string, id: string, body: Json): Response {
    if (method === "POST")
      return page(knowledgeBases, body, "knowledgeBaseSummaries", (one, knowledgeBaseId) => ({
        knowledgeBaseId,
        name: one.body.name,
      }));
    const shown = (held: Held, knowledgeBaseId: string) =>
      Response.json({
        knowledgeBase: { ...held.body, knowledgeBaseId, knowledgeBaseArn: held.arn, status: held.status },
      });
    if (method === "PUT" && id === "") {
      const fault = invalid("agents/CreateKnowledgeBase", body);
      if (fault) return fault;
      if (!hasRole(body.roleArn))
        return refusal(400, "ValidationException", "Bedrock was unable to assume the given role.");
      const { tags = {}, clientToken: _, ...rest } = body;
      const key = nextId("KB");
      knowledgeBases.set(key, {
        arn: arn("bedrock", `knowledge-base/${key}`),
        tags: { ...(tags as Tags) },
        body: rest,
        status: "CREATING",
        next: { status: "ACTIVE", looks },
      });
      return shown(knowledgeBases.get(key) as Held, key);
    }
    const held = looked(knowledgeBases, id);
    if (held === undefined) return noThing();
    if (method === "PUT") {
      const fault = invalid("agents/UpdateKnowledgeBase", body);
      if (fault) return fault;
      Object.assign(held, { body, status: "UPDATING", next: { status: "ACTIVE", looks } });
    }
    if (method === "DELETE") Object.assign(held, { status: "DELETING", next: { status: "gone", looks } });
    return shown(held, id);
  }

  function vectorIndex(pathname: string, body: Json): Response {
    const held = indexes.get(String(body.indexArn));
    if (pathname === "/ListIndexes") {
      if (!standIn.buckets.has(String(body.vectorBucketName)))
        return refusal(404, "NotFoundException", "The specified vector bucket could not be found");
      return page(indexes, body, "indexes", (one) => ({ indexArn: one.arn, indexName: one.body.indexName }));
    }
    if (pathname === "/GetIndex")
      return held
        ? Response.json({ index: { ...held.body, indexArn: held.arn, creationTime: 1 } })
        : refusal(404, "NotFoundException", "The specified index could not be found");
    if (pathname === "/DeleteIndex") {
      indexes.delete(String(body.indexArn));
      return Response.json({});
    }
    const fault = invalid("s3Vectors/CreateIndex", body);
    if (fault) return fault;
    if (!standIn.buckets.has(String(body.vectorBucketName)))
      return refusal(404, "NotFoundException", "The specified vector bucket could not be found");
    const { tags = {}, ...rest } = body;
    const indexArn = arn(
      "s3vectors",
      `bucket/${String(body.vectorBucketName)}/index/${String(body.indexName)}`,
    );
    if (indexes.has(indexArn))
      return refusal(409, "ConflictException", "An index with the specified name already exists");
    indexes.set(indexArn, { arn: indexArn, tags: { ...(tags as Tags) }, body: rest, status: "ACTIVE" });
    return Response.json({ indexArn });
  }

  /** True if the role exists; the first look after its creation doesn't see it yet. */
  function hasRole(roleArn: unknown): boolean {
    const role = roles.get(String(roleArn));
    if (role === undefined) return false;
    role.looks++;
    return role.looks > 1;
  }

  return standIn;
}

/** Returns a resource and moves it on its way to its next state. */
function looked(map: Map<string, Held>, key: string): Held | undefined {
  const held = map.get(key);
  if (held?.next === undefined) return held;
  held.next.looks--;
  if (held.next.looks > 0) return held;
  held.status = held.next.status;
  delete held.next;
  if (held.status !== "gone") return held;
  map.delete(key);
  return undefined;
}

function page(
  map: Map<string, Held>,
  { maxResults, nextToken }: Json,
  key: string,
  summary: (held: Held, id: string) => Json,
): Response {
  const from = Number(nextToken ?? 0);
  const all = [...map];
  const part = all.slice(from, from + Math.min(pageMax, Number(maxResults ?? pageMax)));
  const next = from + part.length;
  return Response.json({
    [key]: part.map(([id, held]) => summary(held, id)),
    ...(next < all.length && { nextToken: String(next) }),
  });
}

/** An agent comes back with all of its prompts, whether they were sent or not. */
function withAllPrompts(body: Json): Json {
  const sent = ((body.promptOverrideConfiguration as Json | undefined)?.promptConfigurations ?? []) as Json[];
  const all = ["PRE_PROCESSING", "ORCHESTRATION", "POST_PROCESSING"].map((promptType) => ({
    promptType,
    promptCreationMode: "DEFAULT",
    promptState: "ENABLED",
    parserMode: "DEFAULT",
    basePromptTemplate: "{}",
    ...sent.find((one) => one.promptType === promptType),
  }));
  return { ...body, promptOverrideConfiguration: { promptConfigurations: all } };
}

const refusal = (status: number, code: string, message: string) =>
  Response.json(
    { message },
    { status, headers: { "x-amzn-errortype": `${code}:http://internal.amazon.com/` } },
  );

const failed = ({ status, code, message = "Refused by the test.", headers = {} }: StagedFailure) =>
  Response.json({ message }, { status, headers: { "x-amzn-errortype": code, ...headers } });

const xmlFailure = ({ status, code, message = "Refused by the test." }: StagedFailure) =>
  new Response(
    `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
    { status },
  );
