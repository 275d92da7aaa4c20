import { createHmac } from "node:crypto";
import { fill, MIB, record, times } from "../hostile.ts";
import { expectOk, posts, type RouteRow, reads, type World } from "./route-row.ts";

/** Secret with which the phone's provider signs. */
export const phoneSecret = "app-secret-of-the-phone-channel-32-bytes";
const webhook = "/webhooks/phone_messenger";

/** A delivery of messages to the first account of the rows, each of another writer. */
function delivery(round: number, count: number, text: string): string {
  const messages = times(count, (n) => ({
    from: `34${round}${n}`,
    id: `wamid.${round}.${n}`,
    timestamp: `${Math.floor(Date.now() / 1000)}`,
    type: "text",
    text: { body: text },
  }));
  const metadata = { display_phone_number: "34600", phone_number_id: "many0" };
  const value = { messaging_product: "whatsapp", metadata, messages };
  return JSON.stringify({
    object: "whatsapp_business_account",
    entry: [{ id: "1", changes: [{ field: "messages", value }] }],
  });
}

const deliveries: [name: string, body: (round: number) => string][] = [
  ["7,000 messages", (round) => delivery(round, 7000, "hi")],
  ["700 long messages", (round) => delivery(round, 700, fill("a b ", 4000))],
  ["empty entries", () => `{"object":"whatsapp_business_account","entry":[${fill("{},", 3 * MIB - 99)}{}]}`],
  [
    "fields of one entry",
    () => JSON.stringify({ object: "x", entry: [{ changes: times(100_000, () => ({ field: "none" })) }] }),
  ],
  ["text that is not JSON", () => fill("[1,", 3 * MIB - 100)],
];

/** Requests to the gateway. */
export async function gatewayRoutes({ askOf, adminToken }: World): Promise<RouteRow[]> {
  const admin = askOf("gateway", "/admin", { "x-admin-token": adminToken });
  const open = askOf("gateway");
  let accountId = "";
  const account = (external_id: string, access_token: string) => ({
    tenant_id: "t",
    channel: "phone_messenger",
    external_id,
    emulated: true,
    credentials: { access_token },
  });
  const message = (recipient: string, text: string) => ({
    tenant_id: "t",
    channel: "phone_messenger",
    recipient,
    text,
  });
  const [accounts, outbox, ...others] = reads("gateway", admin, [
    ["accounts", "/accounts?tenant_id=t"],
    ["outbox", "/outbox?tenant=t&limit=200"],
    ["conversations", "/conversations?tenant=t&limit=200"],
    ["directory", "/directory?limit=200"],
    ["bindings", "/bindings?tenant_id=t"],
    ["stats of 90 days", "/stats?days=90"],
    ["metrics", "/metrics"],
  ]) as [RouteRow, RouteRow, ...RouteRow[]];
  return [
    posts("gateway: an account with a large credential", admin, "/accounts", (round: number) =>
      account(`e${round}`, fill("x", 4096)),
    ),
    {
      ...accounts,
      before: async () => {
        for (let n = 0; n < 500; n++) {
          const body = account(`many${n}`, "token-of-the-bench");
          accountId = JSON.parse((await expectOk(admin("POST", "/accounts", { body }))).text).id;
        }
      },
    },
    posts("gateway: send a long text", admin, "/send", message("34600000000", fill("a b ", 4096))),
    posts("gateway: send, wrong body of 1 MiB", admin, "/send", {
      text: times(100_000, () => ({})),
      media: times(50_000, () => ({})),
      x: record(9000, (n) => [`k${n}`, 1]),
    }),
    {
      ...outbox,
      before: async () => {
        for (let n = 0; n < 600; n++)
          await expectOk(admin("POST", "/send", { body: message(`3460000${n}`, fill("a b ", 4000)) }));
      },
    },
    ...deliveries.map(
      ([name, body]): RouteRow => ({
        name: `gateway: a signed delivery of 3 MiB, ${name}`,
        ask: (round) => {
          const text = body(round);
          const digest = createHmac("sha256", phoneSecret).update(text).digest("hex");
          return open("POST", webhook, {
            body: text,
            headers: { "x-hub-signature-256": `sha256=${digest}` },
          });
        },
      }),
    ),
    posts("gateway: a forged delivery of 3 MiB", open, webhook, fill("[1,", 3 * MIB - 100), {
      headers: { "x-hub-signature-256": `sha256=${"0".repeat(64)}` },
    }),
    posts("gateway: a binding with a config of 900 KiB", admin, "/bindings", () => ({
      tenant_id: "t",
      channel: "phone_messenger",
      account_id: accountId,
      entry_agent: "a",
      config: record(9000, (n) => [`k${n}`, fill("x", 90)]),
    })),
    {
      name: "gateway: messages of a conversation",
      ask: async () => {
        const { text } = await admin("GET", "/conversations?tenant=t&limit=1");
        return admin("GET", `/conversations/${JSON.parse(text).conversations[0].id}/messages?limit=200`);
      },
    },
    posts("gateway: 500 sends at once", admin, "/send", message("34600000000", "hi"), { times: 500 }),
    ...others,
    ...reads("gateway", open, [["OpenAPI", "/openapi.json"]]),
  ];
}
