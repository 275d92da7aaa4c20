import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { serviceFetch } from "../../src/kit/fetch/service-fetch.ts";
import { basePlanBody } from "./billing.ts";
import { type MessageProvider, startMessageProvider } from "./message-provider.ts";
import { type ModelScript, startModelServer } from "./model-server.ts";
import { program } from "./program.ts";
import { temporaryFolder } from "./temp-folder.ts";

const adminToken = "admin-token-of-the-gateway-with-32-bytes";
/** Secret of the channel that signs deliveries. */
export const appSecret = "app-secret-of-the-phone-channel-32-bytes";
const operatorToken = "operator-token-of-the-platform-32-bytes";
const runtimeToken = "runtime-token-of-the-daemon-with-32-bytes";

/** Daemon, platform and gateway in one process or several. They can be killed and started again. */
export interface GatewayProgram extends AsyncDisposable {
  provider: MessageProvider;
  /** Process of the gateway. */
  readonly pid: number;
  /**
   * The agent `support` of a tenant answers the accounts PNID1, PNID2 and so on, by default one. Returns a key of the tenant, whose plan is
   * the default one or has no limits.
   */
  setUp(spec: Record<string, unknown>, options?: { unlimited?: boolean; accounts?: number }): Promise<string>;
  /** Posts JSON to the platform with a tenant's key. */
  asTenant(key: string, path: string, body: object): Promise<{ status: number; body: unknown }>;
  /** Posts a text message of a customer, by default to PNID1; the status, or undefined if the process was not there. */
  deliver(id: string, from: string, text: string, account?: string): Promise<number | undefined>;
  /** Posts a message of any kind. */
  deliverMessage(message: object, account?: string): Promise<number | undefined>;
  /** Replies to an address, in order, without marks. */
  textsTo(address: string): string[];
  admin(path: string): Promise<unknown>;
  /** Kills the process without a warning and starts it again. */
  crash(): Promise<void>;
}

/**
 * With two processes the gateway has one of its own, with three each service. They reach each other over the network. With `runs`, which
 * takes two processes, this process answers the gateway's runs in place of the platform.
 */
export async function startGatewayProgram(
  script: ModelScript,
  { processes = 1, runs }: { processes?: 1 | 2 | 3; runs?: () => object } = {},
): Promise<GatewayProgram> {
  await using held = new AsyncDisposableStack();
  const folder = held.use(temporaryFolder()).path;
  const gatewayFolder = held.use(temporaryFolder()).path;
  const platformFolder = held.use(temporaryFolder()).path;
  const provider = held.use(await startMessageProvider());
  const lab = held.adopt(await startModelServer(script), (server) => server.stop());
  const providers = { lab: { type: "vllm", endpoint: lab.url, api_key_env: "LAB_KEY" } };
  writeFileSync(join(folder, "providers.yaml"), JSON.stringify({ providers }));
  writeFileSync(join(folder, "runtime.yaml"), JSON.stringify({ spec: {} }));
  const run = async (services: string, workspace: string, env: Record<string, string>) => {
    const child = Bun.spawn([...program, "serve", "--workspace", workspace, "--services", services], {
      stdout: "ignore",
      stderr: "pipe",
      env: {
        ...process.env,
        LAB_KEY: "lab-key-0123456789",
        ARGOSY_DAEMON_PORT: "0",
        ARGOSY_PLATFORM_PORT: "0",
        ARGOSY_GATEWAY_PORT: "0",
        GATEWAY_ADMIN_TOKEN: adminToken,
        PLATFORM_OPERATOR_TOKEN: operatorToken,
        GATEWAY_TRUSTED_SENDER_KEY: "trusted-sender-key-of-at-least-32-bytes",
        GATEWAY_PHONE_APP_SECRET: appSecret,
        GATEWAY_PHONE_VERIFY_TOKEN: "verify-me",
        GATEWAY_GRAPH_BASE_URL: provider.url,
        ...env,
      },
    });
    return { child, urls: await listening(child.stderr, services.split(",").length) };
  };
  // Each of two processes must know the other's address before it has one.
  const toPlatform = held.adopt(forwarder(runs), (one) => one.stop());
  const start = async (): Promise<Running> => {
    if (processes === 1) {
      const { child, urls } = await run("daemon,platform,gateway", folder, {});
      return { children: [child], platform: urls.get("platform") ?? "", gateway: urls.get("gateway") ?? "" };
    }
    const gateway = await run("gateway", gatewayFolder, { GATEWAY_PLATFORM_URL: toPlatform.url });
    const gatewayUrl = gateway.urls.get("gateway") ?? "";
    const children = [gateway.child];
    const toGateway = { PLATFORM_GATEWAY_URL: gatewayUrl, PLATFORM_RUNTIME_TOKEN: runtimeToken };
    let platform: Awaited<ReturnType<typeof run>>;
    if (processes === 2) platform = await run("daemon,platform", folder, toGateway);
    else {
      const env = { PLATFORM_RUNTIME_TOKEN: runtimeToken, ARGOSY_PLATFORM_URL: toPlatform.url };
      const daemon = await run("daemon", folder, env);
      children.push(daemon.child);
      const spec = { platform: { runtime_url: daemon.urls.get("daemon") } };
      writeFileSync(join(platformFolder, "runtime.yaml"), JSON.stringify({ spec }));
      platform = await run("platform", platformFolder, toGateway);
    }
    const platformUrl = platform.urls.get("platform") ?? "";
    toPlatform.to = platformUrl;
    return { children: [...children, platform.child], platform: platformUrl, gateway: gatewayUrl };
  };
  let running = await start();
  const kill = async () => {
    for (const child of running.children) child.kill("SIGKILL");
    for (const child of running.children) await child.exited;
  };
  held.defer(kill);
  const post = (url: string, body: object, headers?: Record<string, string>) =>
    send("POST", url, body, headers);
  const send = async (method: string, url: string, body: object, headers: Record<string, string> = {}) => {
    const response = await serviceFetch(url, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${url}: ${await response.text()}`);
    return response.json();
  };
  const asAdmin = { "x-admin-token": adminToken };
  const deliverMessage = (sent: object, account?: string) => postDelivery(running.gateway, sent, account);
  const ending = held.move();
  return {
    provider,
    get pid() {
      return running.children[0]?.pid ?? 0;
    },
    async setUp(spec, { unlimited = false, accounts = 1 } = {}) {
      const { platform, gateway } = running;
      const { accessToken } = await post(`${platform}/auth/register`, {
        email: "a@example.com",
        password: "password-123",
        displayName: "A",
      });
      const person = { authorization: `Bearer ${accessToken}` };
      const { id } = await post(`${platform}/api/v1/tenants`, { displayName: "Shop" }, person);
      if (unlimited) {
        const operator = { "x-operator-token": operatorToken };
        const plan = basePlanBody({ id: "unlimited", credit_cap_period_micros: 1_000_000_000_000 });
        await post(`${platform}/api/v1/admin/plans`, plan, operator);
        await send("PUT", `${platform}/api/v1/admin/tenants/${id}/plan`, { plan_id: plan.id }, operator);
      }
      const { rawKey } = await post(`${platform}/api/v1/tenants/${id}/keys`, { label: "gateway" }, person);
      const agent = {
        apiVersion: "platform/v1",
        kind: "Agent",
        metadata: { name: "support" },
        spec: { model: { primary: { provider: "lab", model: "m" } }, ...spec },
      };
      await post(`${platform}/api/v1/agents`, agent, { "x-api-key": rawKey });
      for (let number = 1; number <= accounts; number++) {
        const account = await post(
          `${gateway}/admin/accounts`,
          {
            tenant_id: id,
            channel: "phone_messenger",
            external_id: `PNID${number}`,
            credentials: { access_token: "EAAG-access-token" },
          },
          asAdmin,
        );
        const binding = {
          tenant_id: id,
          account_id: account.id,
          entry_agent: "support",
          fallback_message: "Sorry.",
          config: { platform_api_key: rawKey },
        };
        await post(`${gateway}/admin/bindings`, binding, asAdmin);
      }
      return rawKey;
    },
    async asTenant(key, path, body) {
      const response = await serviceFetch(`${running.platform}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": key },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: await response.json() };
    },
    deliver: (id, from, text, account) =>
      deliverMessage({ from, id, type: "text", text: { body: text } }, account),
    deliverMessage,
    textsTo: (address) => provider.textsTo(address).filter((text) => text !== undefined),
    admin: async (path) => (await serviceFetch(`${running.gateway}${path}`, { headers: asAdmin })).json(),
    async crash() {
      await kill();
      running = await start();
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

/** Posts a delivery of one message to a gateway, signed as the provider does; the status, or undefined if no gateway was there. */
export function postDelivery(
  gateway: string,
  sent: object,
  phoneNumberId = "PNID1",
): Promise<number | undefined> {
  const message = { timestamp: String(Math.floor(Date.now() / 1000)), ...sent };
  const metadata = { display_phone_number: "15550001111", phone_number_id: phoneNumberId };
  const value = { messaging_product: "whatsapp", metadata, messages: [message] };
  const entry = [{ id: "W", changes: [{ field: "messages", value }] }];
  const body = JSON.stringify({ object: "whatsapp_business_account", entry });
  const signature = createHmac("sha256", appSecret).update(body).digest("hex");
  const headers = { "x-hub-signature-256": `sha256=${signature}` };
  return serviceFetch(`${gateway}/webhooks/phone_messenger`, { method: "POST", headers, body }).then(
    ({ status }) => status,
    () => undefined,
  );
}

/** Reads the addresses of the services from the log, and then reads on, so that the process never waits for a reader. */
async function listening(log: ReadableStream<Uint8Array>, services: number): Promise<Map<string, string>> {
  const urls = new Map<string, string>();
  const found = Promise.withResolvers<void>();
  const read = async () => {
    let text = "";
    for await (const chunk of log.pipeThrough(new TextDecoderStream() as never) as AsyncIterable<string>) {
      text += chunk;
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const { event, service, url } = line.startsWith("{") ? JSON.parse(line) : {};
        if (event === "service.listening") urls.set(service, url);
        if (urls.size === services) found.resolve();
      }
    }
    found.reject(new Error("The program ended before it listened."));
  };
  read().catch((thrown) => found.reject(thrown));
  await found.promise;
  return urls;
}

interface Running {
  children: readonly Bun.Subprocess[];
  platform: string;
  gateway: string;
}

interface Forwarder {
  url: string;
  to: string;
  stop(): Promise<void>;
}

/** Passes requests on to an address that becomes known later, but for runs if it has answers to them. */
function forwarder(runs?: () => object): Forwarder {
  const passing: Forwarder = { url: "", to: "", stop: async () => undefined };
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    hostname: "127.0.0.1",
    async fetch(request): Promise<Response> {
      const { pathname, search } = new URL(request.url);
      if (runs !== undefined && /^\/api\/v1\/agents\/\w+\/run$/.test(pathname)) {
        await request.bytes();
        return Response.json(runs());
      }
      const body = request.body === null ? {} : { body: await request.bytes() };
      const { method, headers } = request;
      return serviceFetch(`${passing.to}${pathname}${search}`, {
        method,
        headers,
        ...body,
        decompress: false,
      });
    },
  });
  passing.url = server.url.origin;
  passing.stop = () => server.stop(true);
  return passing;
}
