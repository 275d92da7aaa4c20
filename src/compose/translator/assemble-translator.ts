import { version } from "../../../package.json";
import { resolveBySystem } from "../../engine/tools/network/address/address-resolver.ts";
import { createGuardedNetwork } from "../../engine/tools/network/create-guarded-network.ts";
import { createDirectConnections } from "../../engine/tools/network/direct-connection.ts";
import { agentKind } from "../../manifest/agent/agent-kind.ts";
import { ragPipelineKind } from "../../manifest/rag-pipeline.ts";
import type { CloudAccount } from "../../services/translator/accounts/account.ts";
import { Accounts } from "../../services/translator/accounts/accounts.ts";
import { AwsAccount } from "../../services/translator/accounts/aws/aws-account.ts";
import { GoogleAccount } from "../../services/translator/accounts/gcp/google-account.ts";
import { LocalAccount } from "../../services/translator/accounts/local/local-account.ts";
import { createTranslatorApp } from "../../services/translator/app.ts";
import type { TranslatorDeps } from "../../services/translator/deps.ts";
import { migrations } from "../../services/translator/migrations.gen.ts";
import { tables } from "../../services/translator/tables.ts";
import { translatorWorkers } from "../../services/translator/workers.ts";
import type { AssembledService, Foundation } from "../foundation.ts";
import { pendingWork } from "../pending-work.ts";
import type { AccessRule } from "../service.ts";
import { openOwnStorage, readinessOf } from "../service-storage.ts";
import type { Config } from "../settings/config.ts";
import { accountsCheckup } from "./accounts-checkup.ts";

/** Assembles the manifest translator on its own storage. */
export async function assembleTranslator(
  foundation: Foundation,
  accessTo: AccessRule,
): Promise<AssembledService> {
  const { config, log, clock, newId } = foundation;
  const storage = await openOwnStorage(foundation, { service: "translator", tables, migrations });
  const stopping = new AbortController();
  const pending = pendingWork();
  const accounts = accountsOf(config, { storage, clock, newId });
  const deps: TranslatorDeps = {
    version,
    clock,
    newId,
    log,
    storage,
    accounts: new Accounts(accounts),
    // Names of providers and stores are the installation's own; a translation needs only their shape.
    manifests: { agent: agentKind({}), pipeline: ragPipelineKind({}) },
    stopping: stopping.signal,
  };
  const app = pending.over(
    createTranslatorApp(deps, {
      access: accessTo([]),
      secure: config.tls !== undefined,
      readReadiness: () => readinessOf("translator", storage, foundation),
    }),
  );
  return {
    app,
    storage,
    checkups: [
      {
        name: "translator storage",
        async look() {
          await storage.check();
          const place = storage.dialect === "postgres" ? "PostgreSQL" : config.dataFolder;
          return { status: "healthy", message: `Storage at ${place} is writable.` };
        },
      },
      accountsCheckup(accounts),
    ],
    workers: translatorWorkers(deps),
    intake: { begin() {}, retire: pending.ended },
    cancel: () => stopping.abort(),
    async close() {
      await pending.ended();
      await storage.close();
    },
  };
}

const accountsOf = (
  { translator, network, knownSecrets }: Pick<Config, "translator" | "network" | "knownSecrets">,
  ports: Pick<TranslatorDeps, "storage" | "clock" | "newId">,
): CloudAccount[] => {
  const { clock, newId } = ports;
  const connections = {
    clock,
    connect: createDirectConnections(clock),
    resolve: resolveBySystem,
    opened: network,
  };
  const cloud = () => ({
    network: createGuardedNetwork(connections),
    clock,
    newId,
    random: Math.random,
    secrets: knownSecrets,
  });
  return translator.accounts.map((account) => {
    if (account.driver === "embedded") return new LocalAccount(account.name, account.provider, ports);
    return account.provider === "gcp"
      ? new GoogleAccount(account.name, account.settings, cloud())
      : new AwsAccount(account.name, account.settings, cloud());
  });
};
