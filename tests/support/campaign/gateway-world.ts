import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { asA, asAdmin, signed } from "../gateway.ts";
import { deliveryOf, statusOf, textMessage } from "../message-provider.ts";
import { requestText } from "../request-text.ts";
import { pick } from "./seeded.ts";

/** A call that the provider accepted. */
interface Acceptance {
  /** The gateway's time. */
  atMs: number;
  /** Time since the gateway confirmed a receipt of an earlier acceptance; undefined if it did not. */
  toldSinceMs: number | undefined;
}

/** Calls that the provider, the platform and the gateway's callers saw. */
export interface WorldLog {
  /** Acceptances by message id. */
  accepted: Map<string, Acceptance[]>;
  /** Message ids by text. */
  idsByText: Map<string, Set<string>>;
  /** Keys of runs by the query. */
  runsByQuery: Map<string, Set<string>>;
  /** Texts whose delivery or request the gateway confirmed. */
  asked: string[];
  told: string[];
}

interface WorldOptions {
  random: () => number;
  /** The gateway's time. */
  nowMs: () => number;
  /** Address of a gateway that runs; undefined while there is none. */
  gateway: () => string | undefined;
  accounts: number;
}

/** Unanswered messages at which the callers wait. */
const openMax = 250;
const platformKey = "ask-key-of-the-campaign-0123456789";
const texts = (kind: "ask" | "tell", number: number) => `${kind} ${number}`;

/** Everything around a gateway: a provider of WhatsApp that counts, its customers, a platform, and a program that sends. */
export async function startGatewayWorld({ random, nowMs, gateway, accounts }: WorldOptions) {
  const log: WorldLog = {
    accepted: new Map(),
    idsByText: new Map(),
    runsByQuery: new Map(),
    asked: [],
    told: [],
  };
  /** The gateway's time at which it confirmed a message's first receipt. */
  const confirmed = new Map<string, number>();
  const receipts: { id: string; account: string; providerId: string }[] = [];
  let answered = 0;
  let events = 0;
  let isOver = false;
  let telling = 0;

  /** Posts until the gateway confirms, as providers do. */
  async function insist(path: string, headers: (body: string) => Record<string, string>, body: string) {
    while (!isOver) {
      const url = gateway();
      const response =
        url === undefined
          ? undefined
          : await fetch(`${url}${path}`, {
              method: "POST",
              headers: { "content-type": "application/json", ...headers(body) },
              body,
              signal: AbortSignal.timeout(5_000),
            }).catch(() => undefined);
      await response?.arrayBuffer().catch(() => undefined);
      events++;
      if (response?.ok === true) return true;
      if (response !== undefined && response.status < 500)
        throw new Error(`${path} was answered ${response.status}.`);
      await Bun.sleep(20);
    }
    return false;
  }
  const webhook = (body: string) => signed("phone_messenger", body);
  const addressed = (delivery: string, account: string) =>
    delivery.replace(/"phone_number_id":"[^"]+"/, `"phone_number_id":"${account}"`);

  async function provide(request: IncomingMessage): Promise<{ status: number; body: object } | undefined> {
    const body = JSON.parse(await requestText(request));
    const id: string | undefined = body.biz_opaque_callback_data;
    // A mark, such as that of a read message.
    if (id === undefined) return { status: 200, body: { success: true } };
    const course = random();
    if (course < 0.02) {
      const error = { message: "(#131056) Pair rate limit hit", type: "OAuthException", code: 131056 };
      return { status: 400, body: { error } };
    }
    const text = body.text.body as string;
    events++;
    const earlier = log.accepted.get(id) ?? [];
    const toldMs = confirmed.get(id);
    const atMs = nowMs();
    const toldSinceMs = toldMs === undefined ? undefined : atMs - toldMs;
    log.accepted.set(id, [...earlier, { atMs, toldSinceMs }]);
    log.idsByText.set(text, (log.idsByText.get(text) ?? new Set()).add(id));
    if (earlier.length === 0) answered++;
    const account = (request.url ?? "").split("/").at(-2) ?? "";
    const providerId = `wamid.${id}.${earlier.length + 1}`;
    receipts.push({ id, account, providerId });
    await Bun.sleep(random() * 40);
    // Accepted, but its answer is lost.
    if (course < 0.04) return undefined;
    return { status: 200, body: { messages: [{ id: providerId }] } };
  }

  async function runAgent(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const { query } = JSON.parse(await requestText(request));
    const key = String(request.headers["idempotency-key"]);
    log.runsByQuery.set(query, (log.runsByQuery.get(query) ?? new Set()).add(key));
    await Bun.sleep(random() * 20);
    return {
      status: 200,
      body: {
        invocation_id: key,
        status: "ok",
        session_id: "s",
        answer: `answer to ${query}`,
        usage: { tokens_in: 1, tokens_out: 1, by_model: [] },
        credits_charged_micros: 0,
        pricing_status: "priced",
      },
    };
  }

  const server = createServer((request, response) => {
    const answer = request.url?.endsWith("/messages") ? provide(request) : runAgent(request);
    answer
      .then((given) => {
        if (given === undefined) {
          request.socket.destroy();
          return;
        }
        response.writeHead(given.status, { "content-type": "application/json" });
        response.end(JSON.stringify(given.body));
      })
      .catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  const open = () => log.asked.length + log.told.length - answered;
  /** Customers write, and now and then a delivery comes twice. */
  async function ask(next: () => number | undefined) {
    for (let number = next(); number !== undefined; number = next()) {
      while (open() > openMax && !isOver) await Bun.sleep(10);
      const account = `PN${number % accounts}`;
      const message = textMessage(`wamid.IN${number}`, texts("ask", number), {
        from: String(5_215_550_000_000 + (number % 1_009)),
        timestamp: String(Math.floor(nowMs() / 1000)),
      });
      const body = addressed(deliveryOf([message]), account);
      for (let times = pick(random, [1, 1, 1, 2]); times > 0; times--) {
        if (!(await insist("/webhooks/phone_messenger", webhook, body))) return;
      }
      log.asked.push(texts("ask", number));
    }
  }
  /** A tenant's program sends, each message under a key of its own. */
  async function tell(next: () => number | undefined, accountIds: readonly string[]) {
    for (let number = next(); number !== undefined; number = next()) {
      while (open() > openMax && !isOver) await Bun.sleep(10);
      const body = JSON.stringify({
        channel: "phone_messenger",
        account_id: accountIds[number % accountIds.length],
        recipient: String(5_215_560_000_000 + number),
        text: texts("tell", number),
      });
      const headers = () => ({ ...asA, "idempotency-key": `tell-${number}` });
      if (!(await insist("/api/v1/messages/send", headers, body))) return;
      log.told.push(texts("tell", number));
    }
  }
  /** Tells of each accepted message, a little later. */
  async function report() {
    while (!isOver) {
      const receipt = receipts.shift();
      if (receipt === undefined) {
        await Bun.sleep(5);
        continue;
      }
      telling++;
      await Bun.sleep(random() * 30);
      const fields = { id: receipt.providerId, timestamp: String(Math.floor(nowMs() / 1000)) };
      const body = addressed(
        deliveryOf([], { statuses: [statusOf(receipt.id, "sent", fields)], messages: undefined }),
        receipt.account,
      );
      if (await insist("/webhooks/phone_messenger", webhook, body)) {
        if (!confirmed.has(receipt.id)) confirmed.set(receipt.id, nowMs());
      }
      telling--;
    }
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log,
    /** Accounts, each with an agent. */
    async setUp(url: string): Promise<string[]> {
      const ids: string[] = [];
      for (let number = 0; number < accounts; number++) {
        const account = await adminPost(`${url}/admin/accounts`, {
          tenant_id: "a",
          channel: "phone_messenger",
          external_id: `PN${number}`,
          credentials: { access_token: "EAAG-access-token-7890" },
        });
        await adminPost(`${url}/admin/bindings`, {
          tenant_id: "a",
          account_id: account.id,
          entry_agent: "support",
          config: { platform_api_key: platformKey },
        });
        ids.push(account.id);
      }
      return ids;
    },
    /** Works until `next` returns nothing more. */
    async work(next: () => number | undefined, accountIds: readonly string[]): Promise<void> {
      for (let lane = 0; lane < 12; lane++) void report().catch(failed);
      await Promise.all(
        Array.from({ length: 12 }, (_, lane) => (lane % 2 === 0 ? ask(next) : tell(next, accountIds))),
      );
    },
    /** Resolves after `count` calls, deliveries and confirmations, or after `ms`. */
    async happened(count: number, ms: number): Promise<void> {
      const until = events + count;
      const deadline = Date.now() + ms;
      while (events < until && Date.now() < deadline) await Bun.sleep(1);
    },
    /** True if everything asked for is answered, and the gateway knows of it. */
    isQuiet: () => open() <= 0 && receipts.length === 0 && telling === 0,
    end() {
      isOver = true;
      server.close();
      server.closeAllConnections();
    },
  };
}

export type GatewayWorld = Awaited<ReturnType<typeof startGatewayWorld>>;

const failed = (thrown: unknown) => {
  console.error(thrown);
  process.exit(2);
};

async function adminPost(url: string, body: object): Promise<{ id: string }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...asAdmin },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${await response.text()}`);
  return (await response.json()) as { id: string };
}
