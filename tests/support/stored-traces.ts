import { mkdirSync } from "node:fs";
import type { RecordedTrace } from "../../src/engine/telemetry/trace.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { migrations } from "../../src/services/daemon/migrations.gen.ts";
import { tables } from "../../src/services/daemon/tables.ts";
import { insertTraces } from "../../src/services/daemon/traces/store.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { recordedTrace } from "./recorded-trace.ts";

/** The owner of runs in a daemon that requires no token. */
const tenant = "operator";

/** Returns the trace with a number, which began at an instant. */
export type TraceAt = (at: number, startedMs: number) => RecordedTrace;

const plainTrace: TraceAt = (at, startedMs) =>
  recordedTrace(`trace-${at}`, startedMs, { session: `session-${at % 97}` });

/** Stores that many finished traces, a second apart, in the data folder of a stopped daemon; the oldest is `trace-0`. */
export async function storeTraces(
  dataFolder: string,
  count: number,
  traceAt: TraceAt = plainTrace,
  apartMs = 1000,
): Promise<void> {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const parts = { log: silentLogger, clock: systemClock, random: Math.random };
  const storage = await openStorage({ service: "daemon", tables, migrations, folder: dataFolder, ...parts });
  try {
    const firstMs = systemClock.now().getTime() - count * apartMs;
    const traces = Array.from({ length: count }, (_, at) => traceAt(at, firstMs + at * apartMs));
    await insertTraces(
      storage,
      traces.map((trace) => ({ tenant, trace })),
    );
  } finally {
    await storage.close();
  }
}
