import { version } from "../../../package.json" with { type: "json" };
import { agentKind } from "../../manifest/agent/agent-kind.ts";
import { ragPipelineKind } from "../../manifest/rag-pipeline.ts";
import type { CloudAccount } from "../../services/translator/accounts/account.ts";
import { Accounts } from "../../services/translator/accounts/accounts.ts";
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
import type { TranslatorConfig } from "../settings/translator-settings.ts";

/** Assembles the manifest translator on its own storage. */
export async function assembleTranslator(
  foundation: Foundation,
  accessTo: AccessRule,
): Promise<AssembledService> {
  const { config, log, clock, newId, workerStates } = foundation;
  const storage = await openOwnStorage(foundation, { service: "translator", tables, migrations });
  const stopping = new AbortController();
  const pending = pendingWork();
  const deps: TranslatorDeps = {
    version,
    clock,
    newId,
    log,
    storage,
    accounts: new Accounts(accountsOf(config.translator, { storage, clock, newId })),
    // Names of providers and stores are the installation's own; a translation needs only their shape.
    manifests: { agent: agentKind({}), pipeline: ragPipelineKind({}) },
    stopping: stopping.signal,
  };
  const app = pending.over(
    createTranslatorApp(deps, {
      access: accessTo([]),
      secure: config.tls !== undefined,
      readReadiness: () => readinessOf(storage, workerStates),
    }),
  );
  return {
    app,
    checkups: [
      {
        name: "translator storage",
        async look() {
          await storage.check();
          const place = storage.dialect === "postgres" ? "PostgreSQL" : config.dataFolder;
          return { status: "healthy", message: `Storage at ${place} is writable.` };
        },
      },
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
  { accounts }: TranslatorConfig,
  ports: Pick<TranslatorDeps, "storage" | "clock" | "newId">,
): CloudAccount[] => accounts.map(({ name, provider }) => new LocalAccount(name, provider, ports));
