import { expectOk, fill, type RouteRow, record, times, type World } from "./route-row.ts";

/** Requests to the gateway. */
export async function gatewayRoutes({ askOf, adminToken }: World): Promise<RouteRow[]> {
  const admin = askOf("gateway", "/admin", { "x-admin-token": adminToken });
  const open = askOf("gateway");
  let account = "";
  return [
    {
      name: "gateway: an account with a large credential",
      ask: (round) =>
        admin("POST", "/accounts", {
          body: {
            tenant_id: "t",
            channel: "phone_messenger",
            external_id: `e${round}`,
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
      ask: () => admin("GET", "/accounts"),
    },
    {
      name: "gateway: send a long text",
      ask: () =>
        admin("POST", "/send", {
          body: {
            tenant_id: "t",
            channel: "phone_messenger",
            account_id: account,
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
          await admin("POST", "/send", {
            body: {
              tenant_id: "t",
              channel: "phone_messenger",
              account_id: account,
              recipient: `3460000${n}`,
              text: fill("a b ", 4000),
            },
          });
      },
      ask: () => admin("GET", "/outbox?ultimos=1000"),
    },
    { name: "gateway: conversations", ask: () => admin("GET", "/conversations?ultimos=1000") },
    { name: "gateway: bindings", ask: () => admin("GET", "/bindings") },
    { name: "gateway: stats of 90 days", ask: () => admin("GET", "/stats?days=90") },
    { name: "gateway: metrics", ask: () => admin("GET", "/metrics") },
    { name: "gateway: OpenAPI", ask: () => open("GET", "/openapi.json") },
  ];
}
