import { gatewayAdminClient } from "../../src/contracts/gateway/client.ts";
import { serviceFetch } from "../../src/kit/fetch/service-fetch.ts";
import type { ServerProcess } from "./executable.ts";
import { until } from "./until.ts";

export const gatewayAdminToken = "admin-token-of-the-gateway-with-32-bytes";

/** Settings of a gateway with every channel, whose providers are emulated. */
export const gatewayEnvironment = {
  GATEWAY_ADMIN_TOKEN: gatewayAdminToken,
  GATEWAY_EMULATOR: "true",
  GATEWAY_ENABLE_WEBCHAT: "true",
  GATEWAY_ENABLE_ECHO: "true",
  GATEWAY_PUBLIC_BASE_URL: "https://chat.example.com",
  GATEWAY_PHONE_APP_SECRET: "app-secret-of-the-phone-channel-32-bytes",
  GATEWAY_PHONE_VERIFY_TOKEN: "verify-me",
};

export const gatewayAdmin = (server: ServerProcess) =>
  gatewayAdminClient(
    { fetch: (request) => serviceFetch(request), baseUrl: server.urlOf("gateway") },
    gatewayAdminToken,
  );

/** Adds accounts, bindings and conversations of a tenant whose agent is `helper`. */
export async function fillGateway(
  server: ServerProcess,
  { tenant, key }: { tenant: string; key: string },
): Promise<{ account: string; contact: string }> {
  const gateway = gatewayAdmin(server);
  const whatsApp = await gateway.saveAccount({
    tenant_id: tenant,
    channel: "phone_messenger",
    external_id: "106540352242922",
    credentials: { access_token: "EAAG-access-token-7890" },
    emulated: true,
  });
  const telegram = await gateway.saveAccount({
    tenant_id: tenant,
    channel: "bot_messenger",
    external_id: "123456",
    credentials: { bot_token: "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11" },
    emulated: true,
  });
  const instagram = await gateway.saveAccount({
    tenant_id: tenant,
    channel: "photo_social",
    external_id: "17841400000000000",
    credentials: { access_token: "IGAA-access-token-4321" },
  });
  await gateway.saveAccount({ tenant_id: "studio", channel: "webchat", external_id: "tea-shop" });
  for (const { id } of [whatsApp, telegram]) {
    await gateway.createBinding({
      tenant_id: tenant,
      account_id: id,
      entry_agent: "helper",
      fallback_message: "Sorry, I can't answer right now.",
      config: { platform_api_key: key },
    });
  }
  await gateway.pauseAccount(instagram.id);
  const write =
    (cuenta: string, canal: "phone_messenger" | "bot_messenger", desde: string, nombre: string) =>
    (texto: string) =>
      gateway.emulateInbound({ canal, cuenta, desde, nombre, texto });
  const ana = write("106540352242922", "phone_messenger", "5215550001111", "Ana García");
  const ben = write("123456", "bot_messenger", "77001", "Ben Okafor");
  await ana("Hello! Do you sell green tea?");
  await ben("Is the shop open on Sunday?");
  await answered(server, 2);
  await ana("How much is a bag of 100 g?");
  await gateway.failEmulated({ canal: "bot_messenger", cuenta: "123456", fault: "closed-window" });
  await ben("And what about parking?");
  await answered(server, 4);
  const [contact] = (await gateway.listContacts({ q: "Ana" })).contacts;
  return { account: whatsApp.id, contact: contact?.id ?? "" };
}

/** Waits until this many messages of the outbox are sent or failed. */
export async function answered(server: ServerProcess, count: number): Promise<void> {
  const gateway = gatewayAdmin(server);
  await until(async () => {
    const { entries } = await gateway.listOutbox({ limit: 200 });
    return entries.filter(({ status }) => status === "sent" || status === "failed").length >= count;
  });
}
