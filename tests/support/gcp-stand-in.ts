import { createVerify, generateKeyPairSync } from "node:crypto";
import type { GoogleApiSettings } from "../../src/services/translator/accounts/gcp/google-api.ts";
import { bodyFault } from "./published-body.ts";
import { type StagedFailure, StagedFailures } from "./staged-failures.ts";

type Json = Record<string, unknown>;

/** A request that changes something, or tries to. */
export interface CloudWrite {
  method: string;
  path: string;
  body: Json;
}

export interface GcpStandIn extends AsyncDisposable {
  settings: GoogleApiSettings;
  /** Everything that the project holds, by name. */
  resources: Map<string, Json>;
  writes: CloudWrite[];
  /** Tokens that were given out. */
  tokens: string[];
  /** Puts a resource there by hand and returns its name. */
  put(collection: string, resource: Json): string;
  fail(failure: StagedFailure): void;
  /** Looks that an operation takes until it is done; `Infinity` keeps operations open. */
  operationLooks: number;
  /** Lets operations, also those that are open, end at their next look. */
  finishOperations(): void;
}

const collections: Readonly<Record<string, { shape: string; isLong: boolean; mask: boolean }>> = {
  reasoningEngines: { shape: "vertex/ReasoningEngine", isLong: true, mask: true },
  ragCorpora: { shape: "vertex/RagCorpus", isLong: true, mask: false },
  templates: { shape: "armor/Template", isLong: false, mask: true },
};

const project = "shop-prod";
const projectNumber = "481516234299";
const location = "europe-west4";
const pageMax = 2;

/**
 * Stands in for Vertex AI and Model Armor: checks tokens and bodies by the published descriptions, has long-running operations, pages of two
 * elements, and what the real services add and leave out. It proves that requests follow the descriptions, not that the cloud accepts them.
 */
export function startGcpStandIn(): GcpStandIn {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const resources = new Map<string, Json>();
  const operations = new Map<string, { looks: number; finish: () => Json }>();
  const writes: CloudWrite[] = [];
  const tokens: string[] = [];
  const failures = new StagedFailures();
  let counter = 0;
  const parent = `projects/${project}/locations/${location}`;

  const server = Bun.serve({ port: 0, idleTimeout: 0, hostname: "127.0.0.1", fetch: answer });
  const endpoint = `http://127.0.0.1:${server.port}`;

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const text = await request.text();
    if (url.pathname === "/token") return token(text);
    if (!tokens.includes(request.headers.get("authorization")?.replace(/^Bearer /, "") ?? ""))
      return refusal(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
    const path = url.pathname.replace(/^\/(?:v1|v1beta1)\//, "");
    const failure = failures.take(request.method, path);
    if (failure !== undefined && failure.isDone !== true) return failed(failure);
    const body = text === "" ? {} : (JSON.parse(text) as Json);
    const given = handle(request.method, path, url.searchParams, body);
    return failure === undefined ? given : failed(failure);
  }

  function token(form: string): Response {
    const assertion = new URLSearchParams(form).get("assertion") ?? "";
    const [header = "", claims = "", signature = ""] = assertion.split(".");
    const verified = createVerify("RSA-SHA256")
      .update(`${header}.${claims}`)
      .verify(publicKey, signature, "base64url");
    const { aud, scope, iss } = JSON.parse(Buffer.from(claims || "e30", "base64url").toString()) as Json;
    const isRight =
      verified && aud === `${endpoint}/token` && iss === "argosy@shop-prod.iam.gserviceaccount.com";
    if (!isRight || scope !== "https://www.googleapis.com/auth/cloud-platform")
      return Response.json(
        { error: "invalid_grant", error_description: "Invalid JWT Signature." },
        { status: 400 },
      );
    const access_token = `ya29.${crypto.randomUUID().replaceAll("-", "")}`;
    tokens.push(access_token);
    return Response.json({ access_token, expires_in: 3599, token_type: "Bearer" });
  }

  function handle(method: string, path: string, query: URLSearchParams, body: Json): Response {
    const operation = operations.get(path);
    if (operation !== undefined) {
      operation.looks--;
      if (operation.looks > 0) return Response.json({ name: path, done: false });
      const ended = operation.finish();
      operation.finish = () => ended;
      return Response.json({ name: path, done: true, ...ended });
    }
    const [, , , , collection = "", id] = path.split("/");
    const rules = collections[collection];
    if (!path.startsWith(`${parent}/`) || rules === undefined) return refusal(404, "NOT_FOUND", "Not found.");
    if (method === "GET" && id === undefined) return listing(collection, query);
    if (method === "GET") {
      const found = resources.get(path);
      return found ? Response.json(shown(found)) : refusal(404, "NOT_FOUND", `${path} not found.`);
    }
    writes.push({ method, path, body });
    if (method !== "DELETE") {
      const fault = bodyFault(rules.shape, body);
      if (fault !== undefined)
        return refusal(400, "INVALID_ARGUMENT", `Invalid JSON payload received. ${fault}`);
    }
    const done = (finish: () => Json) => {
      if (!rules.isLong) {
        const { response, error } = finish() as { response?: Json; error?: Json };
        return error ? Response.json({ error }, { status: 409 }) : Response.json(response ?? {});
      }
      const name = `${parent}/operations/${++counter}`;
      operations.set(name, { looks: standIn.operationLooks, finish });
      return Response.json({ name, metadata: {} });
    };
    if (method === "POST") {
      const chosen = query.get("templateId");
      if (collection === "templates" && !/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,62}$/.test(chosen ?? ""))
        return refusal(400, "INVALID_ARGUMENT", "template_id is invalid.");
      if (chosen !== null && resources.has(`${parent}/templates/${chosen}`))
        return refusal(409, "ALREADY_EXISTS", `Resource ${chosen} already exists.`);
      return done(() => {
        const name = `${parent}/${collection}/${chosen ?? ++counter}`;
        resources.set(name, {
          ...structuredClone(body),
          name,
          createTime: "2026-03-10T12:00:00Z",
          etag: "A",
        });
        return { response: shown(resources.get(name) as Json) };
      });
    }
    const current = resources.get(path);
    if (current === undefined) return refusal(404, "NOT_FOUND", `${path} not found.`);
    if (method === "DELETE") {
      if (current.children !== undefined && query.get("force") !== "true")
        return refusal(400, "FAILED_PRECONDITION", "The resource has undeleted child resources.");
      return done(() => {
        resources.delete(path);
        return { response: {} };
      });
    }
    const mask = query.get("updateMask")?.split(",") ?? Object.keys(body);
    const unknown = mask.filter(
      (field) =>
        !/^(?:display_name|description|labels|spec|context_spec|filter_config|template_metadata)$/.test(
          field,
        ),
    );
    if (rules.mask && unknown.length > 0)
      return refusal(400, "INVALID_ARGUMENT", `Invalid update mask ${unknown.join()}.`);
    if (
      "vectorDbConfig" in body &&
      JSON.stringify(body.vectorDbConfig) !== JSON.stringify(current.vectorDbConfig)
    )
      return refusal(400, "INVALID_ARGUMENT", "vector_db_config is immutable.");
    return done(() => {
      for (const field of mask) {
        const key = field.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
        if (key in body) current[key] = structuredClone(body[key]);
        else delete current[key];
      }
      return { response: shown(current) };
    });
  }

  function listing(collection: string, query: URLSearchParams): Response {
    const all = [...resources.values()].filter(({ name }) =>
      String(name).startsWith(`${parent}/${collection}/`),
    );
    const from = Number(query.get("pageToken") ?? 0);
    const page = all.slice(from, from + Math.min(pageMax, Number(query.get("pageSize") ?? pageMax)));
    const next = from + page.length;
    return Response.json({
      [collection]: page.map(shown),
      ...(next < all.length && { nextPageToken: String(next) }),
    });
  }

  const standIn: GcpStandIn = {
    settings: {
      project,
      location,
      endpoint,
      key: {
        clientEmail: "argosy@shop-prod.iam.gserviceaccount.com",
        privateKey,
        privateKeyId: "k1",
        tokenUri: `${endpoint}/token`,
      },
    },
    resources,
    writes,
    tokens,
    operationLooks: 2,
    finishOperations() {
      standIn.operationLooks = 1;
      for (const operation of operations.values()) operation.looks = 1;
    },
    put(collection, resource) {
      const name = `${parent}/${collection}/${String(resource.id ?? ++counter)}`;
      resources.set(name, { ...resource, name });
      return name;
    },
    fail: (failure) => failures.add(failure),
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
  return standIn;
}

/** A resource as the cloud returns it: without input-only fields, and with the project's number in names of models. */
function shown(resource: Json): Json {
  const text = JSON.stringify(resource, (key, value: unknown) =>
    key === "inlineSource" ? undefined : value,
  );
  const { children: _, ...rest } = JSON.parse(
    text.replaceAll(
      `projects/${project}/locations/${location}/publishers`,
      `projects/${projectNumber}/locations/${location}/publishers`,
    ),
  ) as Json;
  return rest;
}

const refusal = (code: number, status: string, message: string) =>
  Response.json({ error: { code, message, status } }, { status: code });

const failed = ({ status, code, message = "Refused by the test.", headers = {} }: StagedFailure) =>
  Response.json({ error: { code: status, message, status: code } }, { status, headers });
