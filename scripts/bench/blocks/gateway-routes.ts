import { createHmac } from "node:crypto";
import { expectOk, fill, MIB, type RouteRow, record, times, type World } from "./route-row.ts";

/** Secret with which the phone's provider signs. */
export const phoneSecret = "app-secret-of-the-phone-channel-32-bytes";

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

/** Requests to the gateway. */
export async function gatewayRoutes({ askOf, adminToken }: World): Promise<RouteRow[]> {
  const admin = askOf("gateway", "/admin", { "x-admin-token": adminToken });
  const open = askOf("gateway");
  let account = "";
  const short = { tenant_id: "t", channel: "phone_messenger", recipient: "34600000000", text: "hi" };
  return [
    {
      name: "gateway: an account with a large credential",
      ask: (round) =>
        admin("POST", "/accounts", {
          body: {
            tenant_id: "t",
            channel: "phone_messenger",
            external_id: `e${round}`,
            emulated: true,
            credentials: { access_token: fill("x", 4096) },
          },
        }),
    },
    {
      name: "gateway: accounts",
      before: async () => {
        for (let n = 0; n < 500; n++) {
          const made = await expectOk(
            admin("POST", "/accounts", {
              body: {
                tenant_id: "t",
                channel: "phone_messenger",
                external_id: `many${n}`,
                emulated: true,
                credentials: { access_token: "token-of-the-bench" },
              },
            }),
          );
          account = JSON.parse(made.text).id;
        }
      },
      ask: () => admin("GET", "/accounts?tenant_id=t"),
    },
    {
      name: "gateway: send a long text",
      ask: () =>
        admin("POST", "/send", {
          body: {
            tenant_id: "t",
            channel: "phone_messenger",
            recipient: "34600000000",
            text: fill("a b ", 4096),
          },
        }),
    },
    {
      name: "gateway: send, wrong body of 1 MiB",
      ask: () =>
        admin("POST", "/send", {
          body: {
            text: times(100_000, () => ({})),
            media: times(50_000, () => ({})),
            x: record(9000, (n) => [`k${n}`, 1]),
          },
        }),
    },
    {
      name: "gateway: outbox",
      before: async () => {
        for (let n = 0; n < 600; n++)
          await expectOk(
            admin("POST", "/send", {
              body: {
                tenant_id: "t",
                channel: "phone_messenger",
                recipient: `3460000${n}`,
                text: fill("a b ", 4000),
              },
            }),
          );
      },
      ask: () => admin("GET", "/outbox?tenant=t&limit=200"),
    },
    ...(
      [
        ["7,000 messages", (round) => delivery(round, 7000, "hi")],
        ["700 long messages", (round) => delivery(round, 700, fill("a b ", 4000))],
        [
          "empty entries",
          () => JSON.stringify({ object: "whatsapp_business_account", entry: times(900_000, () => ({})) }),
        ],
        [
          "fields of one entry",
          () =>
            JSON.stringify({ object: "x", entry: [{ changes: times(100_000, () => ({ field: "none" })) }] }),
        ],
        ["text that is no JSON", () => fill("[1,", 3 * MIB - 100)],
      ] as [string, (round: number) => string][]
    ).map(
      ([name, body]): RouteRow => ({
        name: `gateway: a signed delivery of 3 MiB, ${name}`,
        ask: (round) => {
          const text = body(round);
          const digest = createHmac("sha256", phoneSecret).update(text).digest("hex");
          return open("POST", "/webhooks/phone_messenger", {
            body: text,
            headers: { "x-hub-signature-256": `sha256=${digest}` },
          });
        },
      }),
    ),
    {
      name: "gateway: a forged delivery of 3 MiB",
      ask: () =>
        open("POST", "/webhooks/phone_messenger", {
          body: fill("[1,", 3 * MIB - 100),
          headers: { "x-hub-signature-256": `sha256=${"0".repeat(64)}` },
        }),
    },
    {
      name: "gateway: a binding with a config of 900 KiB",
      ask: () =>
        admin("POST", "/bindings", {
          body: {
            tenant_id: "t",
            channel: "phone_messenger",
            account_id: account,
            entry_agent: "a",
            config: record(9000, (n) => [`k${n}`, fill("x", 90)]),
          },
        }),
    },
    { name: "gateway: conversations", ask: () => admin("GET", "/conversations?tenant=t&limit=200") },
    {
      name: "gateway: messages of a conversation",
      ask: async () => {
        const { text } = await admin("GET", "/conversations?tenant=t&limit=1");
        return admin("GET", `/conversations/${JSON.parse(text).conversations[0].id}/messages?limit=200`);
      },
    },
    { name: "gateway: directory", ask: () => admin("GET", "/directory?limit=200") },
    { name: "gateway: 500 sends at once", ask: () => admin("POST", "/send", { body: short, times: 500 }) },
    { name: "gateway: bindings", ask: () => admin("GET", "/bindings?tenant_id=t") },
    { name: "gateway: stats of 90 days", ask: () => admin("GET", "/stats?days=90") },
    { name: "gateway: metrics", ask: () => admin("GET", "/metrics") },
    { name: "gateway: OpenAPI", ask: () => open("GET", "/openapi.json") },
  ];
}
