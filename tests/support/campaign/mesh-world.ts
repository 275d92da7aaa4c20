import { basePlanBody } from "../billing.ts";
import { agentFile, answerOf } from "../daemon.ts";
import { agentFiles, type MeshNodes, startMeshNodes } from "../mesh-nodes.ts";
import {
  appSecret,
  deliveryOf,
  type MessageProvider,
  signatureOf,
  startMessageProvider,
  statusOf,
} from "../message-provider.ts";
import type { ModelScript } from "../model-server.ts";
import { ownPostgresServer } from "../postgres.ts";
import { redisServer } from "../redis.ts";

const operatorToken = "operator-token-of-at-least-32-bytes";
const adminToken = "admin-token-of-the-gateway-with-32-bytes";
const ring = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString("base64")}`;

/** Sent to a customer whose run failed. */
export const fallbackText = "Please write again.";
export const nodeNames = ["a", "b", "c"] as const;
/** Pieces of the answer of the daemon's agent `helper`. */
export const streamedPieces = Array.from({ length: 12 }, (_, at) => `piece-${at} `);

/** A tenant with the agent `shop`. */
export interface Tenant {
  id: string;
  headers: Record<string, string>;
}

/** Three executables on one PostgreSQL and one Redis, three tenants, and a messaging provider that counts. */
export interface MeshWorld extends AsyncDisposable {
  mesh: MeshNodes;
  provider: MessageProvider;
  /** Has no limits. */
  busy: Tenant;
  /** Has the cap of the plan it was last given. */
  capped: Tenant;
  /** Its agent answers the channel's messages. */
  chatty: Tenant;
  post(node: string, path: string, body: object, headers: Record<string, string>): Promise<Answered>;
  credits(node: string, tenant: Tenant): Promise<{ charged: number; held: number }>;
  /** Gives the tenant a plan with this cap, in micros. */
  setCap(node: string, tenant: Tenant, micros: number): Promise<void>;
  /** Posts a delivery of the messaging provider to a node's gateway. True if it was accepted. */
  deliver(node: string, body: string): Promise<boolean>;
  /** Tells the gateway that the provider has sent a message, by the gateway's own id of it. */
  receipt(node: string, id: string): Promise<boolean>;
}

export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of several routes.
  body: any;
}

/** Tokens of a run's hold in each plan, and its price: one token is `microsPerToken`. */
export const holdTokens = 4_000;
export const microsPerToken = 1_000;

export async function startMeshWorld(
  models: ModelScript,
  provider: Parameters<typeof startMessageProvider>[0],
): Promise<MeshWorld> {
  await using held = new AsyncDisposableStack();
  const messages = held.use(await startMessageProvider(provider));
  const databaseUrl = await (await ownPostgresServer()).createDatabase();
  const redisUrl = (await redisServer()).createDatabase();
  const mesh = held.use(
    await startMeshNodes({
      agents: Object.fromEntries(nodeNames.map((name) => [name, agentFiles("helper")])),
      models,
      services: ["daemon", "platform", "gateway"],
      env: () => ({
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl,
        ARGOSY_SEALING_KEYS: ring(1),
        ARGOSY_JWT_KEYS: ring(2),
        PLATFORM_OPERATOR_TOKEN: operatorToken,
        GATEWAY_ADMIN_TOKEN: adminToken,
        GATEWAY_PHONE_APP_SECRET: appSecret,
        GATEWAY_PHONE_VERIFY_TOKEN: "verify-me",
        GATEWAY_GRAPH_BASE_URL: messages.url,
      }),
    }),
  );
  const asOperator = { "x-operator-token": operatorToken };
  const asAdmin = { "x-admin-token": adminToken };
  const platform = (node: string) => mesh.get(node).urlOf("platform");
  const gateway = (node: string) => mesh.get(node).urlOf("gateway");

  const account = { email: "ada@example.com", password: "correct horse", displayName: "Ada" };
  const { accessToken } = await done("POST", `${platform("a")}/auth/register`, account);
  const asPerson = { authorization: `Bearer ${accessToken}` };
  const rate = {
    credits_per_1k_in_micros: microsPerToken * 1_000,
    credits_per_1k_out_micros: microsPerToken * 1_000,
  };
  const tariff = { provider: "lab", model: "test-model", ...rate };
  await done("POST", `${platform("a")}/api/v1/admin/tariffs`, tariff, asOperator);

  const setCap = async (node: string, { id }: { id: string }, micros: number) => {
    const plan = basePlanBody({
      id: `cap-${micros}`,
      credit_cap_period_micros: micros,
      max_run_tokens: holdTokens,
      max_rpm: null,
      max_concurrency: null,
    });
    const made = await send("POST", `${platform(node)}/api/v1/admin/plans`, plan, asOperator);
    // Another attempt, whose answer was lost, may have created it.
    if (made.status !== 201 && made.status !== 409) throw new Error(JSON.stringify(made.body));
    await done("PUT", `${platform(node)}/api/v1/admin/tenants/${id}/plan`, { plan_id: plan.id }, asOperator);
  };
  const newTenant = async (displayName: string, cap: number): Promise<Tenant> => {
    const tenants = `${platform("a")}/api/v1/tenants`;
    const { id } = await done("POST", tenants, { displayName }, asPerson);
    await setCap("a", { id }, cap);
    const { rawKey } = await done("POST", `${tenants}/${id}/keys`, { label: "shop" }, asPerson);
    const headers = { "x-api-key": rawKey };
    await done("POST", `${platform("a")}/api/v1/agents`, JSON.parse(agentFile("shop")), headers);
    return { id, headers };
  };
  const busy = await newTenant("Busy Ltd", 1_000_000_000_000);
  const chatty = await newTenant("Chatty Ltd", 1_000_000_000_000);
  const capped = await newTenant("Capped Ltd", 12_000_000);

  const channel = {
    tenant_id: chatty.id,
    channel: "phone_messenger",
    external_id: "PNID1",
    credentials: { access_token: "EAAG-access-token" },
  };
  const { id: accountId } = await done("POST", `${gateway("a")}/admin/accounts`, channel, asAdmin);
  const binding = {
    tenant_id: chatty.id,
    account_id: accountId,
    entry_agent: "shop",
    fallback_message: fallbackText,
    config: { platform_api_key: chatty.headers["x-api-key"] },
  };
  await done("POST", `${gateway("a")}/admin/bindings`, binding, asAdmin);

  const deliver = async (node: string, body: string) => {
    const headers = { "x-hub-signature-256": signatureOf(body) };
    const sent = await fetch(`${gateway(node)}/webhooks/phone_messenger`, { method: "POST", headers, body });
    await sent.arrayBuffer();
    if (sent.status < 500 && !sent.ok) throw new Error(`The gateway refused a delivery: ${sent.status}.`);
    return sent.ok;
  };
  const ending = held.move();
  return {
    mesh,
    provider: messages,
    busy,
    capped,
    chatty,
    setCap,
    deliver,
    post: (node, path, body, headers) => send("POST", `${platform(node)}${path}`, body, headers),
    async credits(node, { headers }) {
      const { credits } = await done("GET", `${platform(node)}/api/v1/usage`, undefined, headers);
      return { charged: credits.charged_micros, held: credits.held_micros };
    },
    receipt(node, id) {
      const fields = { id: `wamid.${id}`, timestamp: String(Math.floor(Date.now() / 1000)) };
      const statuses = [statusOf(id, "sent", fields)];
      return deliver(node, deliveryOf([], { statuses, messages: undefined }));
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

async function send(
  method: string,
  url: string,
  body: object | undefined,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return answerOf(response);
}

/** The body of an answer; throws if it is an error. */
async function done(...call: Parameters<typeof send>): Promise<Answered["body"]> {
  const { status, body } = await send(...call);
  if (status >= 300) throw new Error(`${call[0]} ${call[1]}: ${status} ${JSON.stringify(body)}`);
  return body;
}
