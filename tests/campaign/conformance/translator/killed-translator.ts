import { systemClock } from "../../../../src/kit/clock.ts";
import { newId } from "../../../../src/kit/id.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { agentKind } from "../../../../src/manifest/agent/agent-kind.ts";
import { ragPipelineKind } from "../../../../src/manifest/rag-pipeline.ts";
import { Accounts } from "../../../../src/services/translator/accounts/accounts.ts";
import { LocalAccount } from "../../../../src/services/translator/accounts/local/local-account.ts";
import { createTranslatorApp } from "../../../../src/services/translator/app.ts";
import type { TranslatorDeps } from "../../../../src/services/translator/deps.ts";
import { migrations } from "../../../../src/services/translator/migrations.gen.ts";
import { tables } from "../../../../src/services/translator/tables.ts";
import { resumeReconciles } from "../../../../src/services/translator/workers.ts";
import { openDataFolder } from "../../../../src/storage/files/data-folder.ts";
import { openStorage } from "../../../../src/storage/open-storage.ts";
import type { Storage } from "../../../../src/storage/storage.ts";

// A translator over the data folder of its first argument. It resumes what an earlier process left, applies the manifests that follow, and
// prints what its account holds. The second argument kills it with SIGKILL at a commit: `<number>-before` or `<number>-after`; `-` doesn't.
const [folder = "", killAt = "-", ...manifests] = process.argv.slice(2);

const die = async (): Promise<never> => {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
};

/** Counts commits of `run`, the last of which never returns. */
function killing<Tables>(storage: Storage<Tables>): Storage<Tables> {
  const [number, side] = killAt.split("-");
  let commits = 0;
  return {
    ...storage,
    async transact(run, options) {
      commits++;
      if (String(commits) === number && side === "before") return die();
      const result = await storage.transact(run, options);
      if (String(commits) === number) return die();
      return result;
    },
  };
}

async function work(): Promise<void> {
  openDataFolder(folder);
  const opened = await openStorage({
    service: "translator",
    tables,
    migrations,
    folder,
    log: silentLogger,
    clock: systemClock,
    random: Math.random,
  });
  const storage = killing(opened);
  const clock = systemClock;
  const deps: TranslatorDeps = {
    version: "0.0.0",
    clock,
    newId,
    log: silentLogger,
    storage,
    accounts: new Accounts([new LocalAccount("local", "gcp", { storage, clock, newId })]),
    manifests: { agent: agentKind({}), pipeline: ragPipelineKind({}) },
    stopping: new AbortController().signal,
  };
  const app = createTranslatorApp(deps, {
    access: { exposed: false, allowedHosts: [], guard: "api_token", openPaths: [] },
    secure: false,
    readReadiness: async () => [],
  });
  const call = async (method: string, path: string, body?: object) => {
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const response = await app.handle(request, { peer: "local" });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  // The lease of a killed process is not waited for: its time is over.
  await opened.transact((tx) => tx.update(opened.tables.leases).set({ expiresAt: new Date(0) }));
  await resumeReconciles(deps);
  for (const yaml of manifests) {
    const { body } = await call("POST", "/v1/specs", { yaml });
    const done = await call("POST", `/v1/specs/${body.kind}/${body.name}/reconcile`);
    if (done.status !== 200) throw new Error(JSON.stringify(done.body));
  }
  const { body: held } = await call("GET", "/v1/accounts/local/resources");
  const plans = [];
  for (const { kind, name } of (await call("GET", "/v1/specs")).body.specs as {
    kind: string;
    name: string;
  }[]) {
    const { body: plan } = await call("POST", `/v1/specs/${kind}/${name}/plan`);
    const { body: drift } = await call("GET", `/v1/specs/${kind}/${name}/drift`);
    plans.push({ changes: plan.changes, drifted: drift.drifted });
  }
  const open = await opened.read.select().from(opened.tables.reconciles);
  console.log(JSON.stringify({ held, plans, open }));
  await opened.close();
}

void work();
