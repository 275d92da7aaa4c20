import { expect, spyOn, test } from "bun:test";
import { childCommand } from "../../src/compose/child-command.ts";
import { createUntrustedEngine } from "../../src/engine/templates/untrusted/untrusted-engine.ts";
import { createSqliteProcess } from "../../src/engine/tools/sql/sqlite-process.ts";
import { AdmissionGate } from "../../src/kit/concurrency/admission-gate.ts";
import { BackgroundGate } from "../../src/kit/concurrency/background-gate.ts";
import { KnownOwners } from "../../src/kit/concurrency/known-owners.ts";
import { OwnerPlaces } from "../../src/kit/concurrency/owner-places.ts";
import { SharedCircuit } from "../../src/kit/outages/shared-circuit.ts";
import type { DaemonRag } from "../../src/services/daemon/rag/daemon-rag.ts";
import { tenantDocuments } from "../../src/services/daemon/tenant-api/tenant-documents.ts";
import { VisitorLimits, visitorLimits } from "../../src/services/gateway/webchat/visitor-limits.ts";
import { createPasswords } from "../../src/services/platform/auth/passwords.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";

/*
 * Every lane that callers of several owners share, by its name in docs/limits.md. A greedy owner asks for all that it can, under all names that
 * it has, and then a modest one asks once. `ahead` is the work of the greedy one that begins after that and before the modest one's.
 * Lanes whose work is fetched from a store are tested beside their stores; `elsewhere` names the test.
 */
interface Lane {
  name: string;
  ahead?: () => Promise<number>;
  elsewhere?: string;
}

const greedyTenants = ["greedy 1", "greedy 2", "greedy 3"];
const asked = 60;

/** Three tenants of one person, and one of another. */
function owners(): KnownOwners {
  const known = new KnownOwners();
  for (const tenant of greedyTenants) known.told(tenant, "greedy person");
  known.told("modest 1", "modest person");
  return known;
}

/** Has the greedy owner begin work until the lane is full, then the modest one; ends one piece after the other. */
async function aheadIn(enter: (tenant: string, work: () => Promise<void>) => Promise<unknown>) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (tenant: string) =>
    enter(tenant, () => {
      begun.push(tenant);
      return new Promise((resolve) => ends.push(resolve));
    }).catch(() => undefined);
  const all = Array.from({ length: asked }, (_, one) => ask(greedyTenants[one % 3] ?? ""));
  await settle();
  const before = begun.length;
  all.push(ask("modest 1"));
  await settle();
  while (!begun.includes("modest 1") && ends.length > 0) {
    ends.shift()?.();
    await settle();
  }
  const ahead = begun.indexOf("modest 1") - before;
  for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
    end();
    await settle();
  }
  await Promise.all(all);
  return begun.includes("modest 1") ? ahead : Number.POSITIVE_INFINITY;
}

/** The same at a gate. */
function aheadAt(gate: AdmissionGate): Promise<number> {
  const known = owners();
  return aheadIn(async (tenant, work) => {
    const leave = await gate.enter(undefined, known.of(tenant));
    await work();
    leave();
  });
}

/** The same with places whose work is fetched: the greedy one comes first in the store. */
async function aheadOf(placesMax: number, perFree: number): Promise<number> {
  const known = owners();
  const places = new OwnerPlaces(placesMax, perFree);
  const held: (() => void)[] = [];
  const takeAll = () => {
    let taken = 0;
    for (let one = 0; one < asked * 2; one++) {
      const owner = known.of(greedyTenants[one % 3] ?? "");
      if (!places.mayTake(owner)) continue;
      held.push(places.take(owner));
      taken++;
    }
    return taken;
  };
  takeAll();
  for (let ahead = 0; ; ahead++) {
    if (places.mayTake(known.of("modest 1"))) return ahead;
    held.shift()?.();
    takeAll();
  }
}

const command = (name: "template-child" | "sql-child") => childCommand(name);

const lanes: Lane[] = [
  {
    name: "Runs of tenants and orgs",
    ahead: () => aheadAt(new AdmissionGate({ inFlightMax: 8, waitingMax: 32 })),
  },
  {
    name: "Circuits of model providers",
    async ahead() {
      const known = owners();
      const circuit = new SharedCircuit(new FakeClock(), { failureThreshold: 3, cooldownMs: 60_000 });
      for (let call = 0; call < asked; call++) {
        circuit.enter(known.of(greedyTenants[call % 3] ?? ""))?.("doubtful");
      }
      expect(circuit.enter(known.of("greedy 1"))).toBeUndefined();
      return circuit.enter(known.of("modest 1")) === undefined ? Number.POSITIVE_INFINITY : 0;
    },
  },
  { name: "Circuits of vector servers", elsewhere: "tests/kit/outages/call-guard.test.ts" },
  {
    name: "Ingests of tenants",
    ahead() {
      const { turn } = tenantDocuments({} as DaemonRag, owners());
      return aheadIn((tenant, work) => turn(tenant, new AbortController().signal, work));
    },
  },
  { name: "Document reader", elsewhere: "tests/retrieval/files/document-reader.test.ts" },
  {
    name: "Uploads in memory",
    async ahead() {
      const { uploads } = tenantDocuments({} as DaemonRag, owners());
      const bytes = 16 * 1024 * 1024;
      for (const tenant of greedyTenants) {
        for (let one = 0; one < 20; one++) {
          try {
            uploads.take(bytes, tenant);
          } catch {
            // Beyond its share.
          }
        }
      }
      uploads.take(bytes, "modest 1");
      return 0;
    },
  },
  {
    name: "Template process",
    async ahead() {
      const known = owners();
      const engine = createUntrustedEngine({
        clock: new FakeClock(),
        childCommand: command("template-child"),
      });
      const done: string[] = [];
      const render = async (tenant: string) => {
        await engine.for(() => known.of(tenant)).renderUntrusted("{% for a in [1] %}{{ a }}{% endfor %}", {});
        done.push(tenant);
      };
      const all = Array.from({ length: asked }, (_, one) => render(greedyTenants[one % 3] ?? ""));
      await Promise.all([...all, render("modest 1")]);
      engine.close();
      // One was under way.
      return done.indexOf("modest 1") - 1;
    },
  },
  {
    name: "SQLite process",
    async ahead() {
      const known = owners();
      const sqlite = createSqliteProcess(command("sql-child"), new FakeClock());
      const done: string[] = [];
      const request = {
        path: ":memory:",
        query: "SELECT 1",
        parameters: [],
        readOnly: false,
        rowsMax: 1,
        charsMax: 100,
      };
      const { signal } = new AbortController();
      const run = async (tenant: string) => {
        const limits = { timeLimitMs: 5_000, signal, owner: known.of(tenant) };
        await sqlite.run(request, limits).catch(() => undefined);
        done.push(tenant);
      };
      const all = Array.from({ length: asked }, (_, one) => run(greedyTenants[one % 3] ?? ""));
      await Promise.all([...all, run("modest 1")]);
      sqlite.close();
      return done.indexOf("modest 1") - 1;
    },
  },
  {
    name: "LanceDB searches",
    ahead: () => aheadAt(new AdmissionGate({ inFlightMax: 2, waitingMax: 200, isBrief: true })),
  },
  { name: "ONNX models", elsewhere: "tests/onnx/onnx-turns.test.ts" },
  {
    name: "Summaries",
    elsewhere: "tests/services/daemon/memory/conversations/summary-scheduler.test.ts",
  },
  {
    name: "Texts of memories on their way to a store",
    elsewhere: "tests/services/daemon/memory/semantic/memory-writer.test.ts",
  },
  {
    name: "Replays of recordings",
    elsewhere: "tests/services/daemon/cassettes/replay/replay-process.test.ts",
  },
  { name: "Stored evals", elsewhere: "tests/services/platform/evals/eval-turns.test.ts" },
  { name: "Delivered events in work", ahead: () => aheadOf(64, 3) },
  { name: "Delivered events that wait", elsewhere: "tests/services/gateway/inbound/keep-events.test.ts" },
  {
    name: "Background gate",
    ahead() {
      const known = owners();
      const gate = new BackgroundGate({ clock: new FakeClock(), turn: async () => undefined });
      const { signal } = new AbortController();
      return aheadIn((tenant, work) => gate.run(work, signal, known.of(tenant)));
    },
  },
  { name: "Messages that are sent, callbacks included", ahead: () => aheadOf(64, 3) },
  { name: "Read marks", ahead: () => aheadOf(64, 1) },
  {
    name: "Visitors of a web chat",
    async ahead() {
      const limits = new VisitorLimits(new FakeClock());
      const greedy = (take: (visitor: string) => void) => {
        for (let visitor = 0; visitor < visitorLimits.streamsOfAccount; visitor++) {
          try {
            take(`greedy ${visitor}`);
          } catch {
            // Beyond its share.
          }
        }
      };
      greedy((visitor) => limits.takeMessage("site", visitor, "192.0.2.1"));
      greedy((visitor) => limits.takeRating("site", visitor, "192.0.2.1"));
      greedy(() => limits.takeVisitor("site", "192.0.2.1"));
      greedy((visitor) => void limits.openStream("site", visitor, "192.0.2.1"));
      limits.takeMessage("site", "modest", "192.0.2.2");
      limits.takeRating("site", "modest", "192.0.2.2");
      limits.takeVisitor("site", "192.0.2.2");
      limits.openStream("site", "modest", "192.0.2.2");
      return 0;
    },
  },
  {
    name: "Password hashes",
    async ahead() {
      const works: (() => void)[] = [];
      const verify = spyOn(Bun.password, "verify").mockImplementation(
        () => new Promise((resolve) => works.push(() => resolve(true))),
      );
      try {
        const passwords = createPasswords();
        const done: string[] = [];
        const check = (owner: string) =>
          passwords.verify("x", "hash", { owner }).then(
            () => done.push(owner),
            () => undefined,
          );
        const all = Array.from({ length: asked }, () => check("192.0.2.1"));
        await settle();
        all.push(check("192.0.2.2"));
        const underWay = works.length;
        for (;;) {
          await settle();
          const end = works.shift();
          if (end === undefined) break;
          end();
        }
        await Promise.all(all);
        return done.indexOf("192.0.2.2") - underWay;
      } finally {
        verify.mockRestore();
      }
    },
  },
];

test.each(lanes.filter(({ ahead }) => ahead !== undefined))(
  "$name: a modest owner waits for at most two pieces of a greedy one's work",
  async ({ ahead }) => {
    expect(await ahead?.()).toBeLessThanOrEqual(2);
  },
);

test("the page on limits lists these lanes, and each is tested here or in a file that there is", async () => {
  const page = await Bun.file("docs/limits.md").text();
  const section = page.split("## Who waits for whom")[1]?.split("\n## ")[0] ?? "";
  const shared = section.split("Not shared")[0] ?? "";
  const listed = [...shared.matchAll(/^\| ([^|]+) \|/gm)].map(([, name]) => name?.trim());
  expect(listed.slice(1)).toEqual(lanes.map(({ name }) => name));
  for (const { ahead, elsewhere } of lanes) {
    if (ahead === undefined)
      expect([elsewhere, await Bun.file(elsewhere ?? "").exists()]).toEqual([elsewhere, true]);
  }
});
