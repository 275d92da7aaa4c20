import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { DrillEvent } from "../../../contracts/drill.ts";
import type { Breakers } from "../../../engine/models/breakers.ts";
import type { ServiceApp } from "../../../http/service-app.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { parseJson } from "../../../kit/json/parse-json.ts";
import type { LogFields, Logger } from "../../../kit/log.ts";
import type { CircuitSettings } from "../../../kit/outages/circuit-breaker.ts";
import type { FaultSwitch } from "../../../kit/outages/fault-switch.ts";
import type { Dialect } from "../../../storage/tables/columns.ts";
import { childrenOf } from "./child-processes.ts";
import { createDrillModels, endpointOf, modelNames } from "./drill-models.ts";
import type { DrillAnswer, DrillWorld } from "./drill-world.ts";
import { chosenDrills, type DrillChoice, runDrills } from "./run-drills.ts";

/** Path on the daemon's control socket that performs drills. */
export const drillPath = "/drill";

export interface DrillParts {
  app: ServiceApp;
  breakers: Breakers;
  circuit: CircuitSettings;
  dialect: Dialect;
}

interface Parts {
  folder: { path: string };
  clock: Clock;
  log: Logger;
  faults: FaultSwitch;
}

/**
 * Adds drills to the daemon's control socket, where only the machine's owner comes in. One drill runs at a time. It ends when its caller
 * closes the connection, and so also when the command is killed.
 */
export function withDrills(control: ServiceApp, foundation: Parts, parts: DrillParts): ServiceApp {
  let isRunning = false;
  return {
    ...control,
    async handle(request, origin) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname !== drillPath || request.method !== "POST") return control.handle(request, origin);
      try {
        const choice = choiceOf(searchParams);
        chosenDrills(choice.only);
        if (isRunning) throw drillRunning();
        isRunning = true;
        return eventLines(choice, foundation, parts, () => {
          isRunning = false;
        });
      } catch (thrown) {
        return control.fail(thrown);
      }
    },
  };
}

function choiceOf(query: URLSearchParams): DrillChoice {
  const only = query.get("only");
  return {
    only: only === null ? undefined : only.split(",").filter((name) => name !== ""),
    everyone: query.get("all") === "true",
  };
}

const drillRunning = () =>
  new AppError("conflict", "drill_running", "A drill is running on this server.", {
    details: { hint: "Wait until it ends. It also ends if its command is stopped." },
  });

/** Sends each event as a line of JSON, and records the drill in the log and in `drills.jsonl` of the data folder. */
function eventLines(choice: DrillChoice, foundation: Parts, parts: DrillParts, onEnd: () => void): Response {
  const { clock, log, folder } = foundation;
  const gone = new AbortController();
  const record = (event: string, facts: LogFields) => {
    log.warn(`drill.${event}`, facts);
    const line = JSON.stringify({ at: clock.now().toISOString(), event, ...facts });
    // The fault may be a disk that is really full: the log has the line as well.
    try {
      appendFileSync(join(folder.path, "drills.jsonl"), `${line}\n`, { mode: 0o600 });
    } catch (thrown) {
      log.warn("drill.not_recorded", { err: thrown });
    }
  };
  const world = createWorld(foundation, parts, gone.signal);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      record("started", { only: choice.only ?? "all", everyone: choice.everyone });
      const send = (event: DrillEvent) => {
        if (event.type === "checked" && !event.check.held) record("broken", { ...event.check });
        if (event.type === "ended") record("ended", { held: event.held, broken: event.broken });
        if (!gone.signal.aborted) controller.enqueue(encoder.encode(`${JSON.stringify(event)}\n`));
      };
      try {
        for await (const event of runDrills(world, choice)) send(event);
      } finally {
        for (const name of modelNames) parts.breakers.forget(endpointOf(name));
        onEnd();
        if (!gone.signal.aborted) controller.close();
      }
    },
    cancel: () => gone.abort(new AppError("unavailable", "drill_stopped", "The command was stopped.")),
  });
  return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
}

function createWorld(
  { clock, faults }: Parts,
  { app, breakers, circuit, dialect }: DrillParts,
  signal: AbortSignal,
): DrillWorld {
  return {
    clock,
    signal,
    faults,
    models: createDrillModels(clock),
    async call(method, path, body, accept = "application/json"): Promise<DrillAnswer> {
      const startedMs = clock.monotonicMs();
      const request = new Request(`http://localhost${path}`, {
        method,
        headers: { "content-type": "application/json", accept },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const response = await app.handle(request, { peer: "control" });
      const text = await response.text();
      return {
        status: response.status,
        text,
        body: parseJson(text),
        tookMs: clock.monotonicMs() - startedMs,
      };
    },
    circuitOf: (name) => {
      const breaker = breakers.list().find(({ endpoint }) => endpoint === endpointOf(name));
      return breaker?.breaker.state().phase;
    },
    circuit: { ...circuit },
    database: dialect,
    childrenWith: (text) => childrenOf(process.pid, text),
    kill: (pid) => process.kill(pid, "SIGKILL"),
  };
}
