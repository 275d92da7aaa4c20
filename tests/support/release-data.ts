import { daemonClient } from "../../src/contracts/daemon/client.ts";
import { platformClient } from "../../src/contracts/platform/clients/client.ts";
import { serviceFetch } from "../../src/kit/fetch/service-fetch.ts";
import { ownersCloud, translatorOf } from "./cloud-world.ts";
import { type ConsoleWorld, operatorToken, type WorldNames } from "./console-world.ts";
import { gatewayAdmin } from "./gateway-world.ts";

/** Folder of the data that releases left: for each, the backup `<name>.tar.zst` and in `<name>.json` what was read from it then. */
export const releasesFolder = new URL("releases/", import.meta.url).pathname;

/** A release's file beside its backup. */
export interface ReleaseData {
  names: WorldNames;
  /** Month in which the data was made, `2026-11`. */
  period: string;
  /** Answers of the release that wrote the data. */
  answers: unknown;
}

type ReadableWorld = Pick<ConsoleWorld, "server" | "link" | "names">;

/**
 * Reads what must outlive every upgrade, through the APIs of all five services. Data that ages, such as traces, approvals and figures of the
 * last days, is left out: it is gone when a later release reads.
 */
export async function readReleaseData({ server, link, names }: ReadableWorld, period: string) {
  const fetchNow = (request: Request) => serviceFetch(request);
  const daemon = daemonClient({ fetch: fetchNow, baseUrl: server.url });
  const address = { fetch: fetchNow, baseUrl: server.urlOf("platform") };
  const operator = platformClient({ ...address, operatorToken });
  // The password was hashed by the release that wrote the data.
  const { accessToken } = await platformClient(address).login({
    email: "ada@example.com",
    password: "correct horse",
  });
  const ada = platformClient({ ...address, accessToken, tenantId: names.tenant });
  const gateway = gatewayAdmin(server);
  const cloud = await ownersCloud(server, await link());
  const translator = translatorOf(server);
  const { tenants } = await platformClient({ ...address, accessToken }).listTenants();
  const shop = tenants.find(({ id }) => id !== names.tenant)?.id ?? "";
  // The month is closed meanwhile.
  const { provisional: _, ...statement } = await operator.statement(names.tenant, period);
  const invocation = await ada.getInvocation("helper", names.invocation);
  const { messages } = await daemon.history("support", names.session);
  const recording = await daemon.getCassette(names.recording);
  const passages = await daemon.ragQuery({ collection: "handbook", query: "Who decides on approvals?" });
  return {
    daemon: {
      session: messages.map(({ role, content }) => ({ role, content })),
      budgets: (await daemon.listBudgets()).budgets.map(({ agent, budget }) => ({ agent, budget })),
      recording: { summary: recording.summary, request: recording.request, outcome: recording.outcome },
      documents: (await daemon.listDocuments("handbook")).documents,
      found: [...new Set(passages.results.map(({ citation }) => citation.document_id))],
    },
    platform: {
      tenants,
      versions: (await ada.listVersions("helper")).versions,
      first: await ada.getVersion("helper", 1),
      keys: (await ada.listKeys(names.tenant)).keys.map(({ hash, label }) => ({ hash, label })),
      connections: await ada.listConnections(),
      invocation,
      plans: await operator.listPlans(),
      tariffs: await operator.listTariffs(),
      statement,
    },
    gateway: {
      accounts: await gateway.listAccounts(shop),
      bindings: await gateway.listBindings(shop),
      account: await gateway.directoryEntry(names.account),
    },
    cloud: {
      org: await cloud.org(),
      agent: await cloud.agent(names.org, names.cloudAgent),
      keys: (await cloud.keys(names.org)).keys,
      providers: await cloud.providers(names.org),
      members: await cloud.members(names.org),
    },
    translator: {
      specs: await translator.listSpecs(),
      held: await translator.listHeld("local"),
    },
  };
}
