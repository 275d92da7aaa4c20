import { Command } from "commander";
import type { OperatedWorker } from "../../../contracts/daemon/operations.ts";
import { type CommandCall, type Perform, withServer } from "../../call.ts";
import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import { type Inline, paint } from "../../terminal/paint.ts";

export const workersCommand = (perform: Perform) =>
  new Command("workers")
    .description("list the background workers and leases of the running server")
    .action((_: object, command: Command) => perform(command, listWorkers));

async function listWorkers(call: CommandCall): Promise<ExitCode> {
  const { screen } = call;
  const report = await withServer(call, (client) => client.workers());
  if (screen.json) {
    screen.document(report);
    return exitCodes.ok;
  }
  screen.table(
    ["WORKER", "SERVICE", "STATE", "FAILURES", "LAST ROUND", "LAST FAILURE"],
    report.workers.map((worker) => [
      worker.name,
      worker.service,
      stateOf(worker),
      String(worker.failures),
      worker.last_round_at ?? "",
      worker.last_failure?.message ?? "",
    ]),
  );
  screen.print();
  screen.table(
    ["LEASE", "SERVICE", "STATE", "HOLDER", "UNTIL"],
    report.leases.map(({ name, service, held, owner, expires_at: until }) => [
      name,
      service,
      held ? paint("green", "held") : "free",
      held ? owner : "",
      held ? until : "",
    ]),
  );
  return exitCodes.ok;
}

const stateOf = ({ status }: OperatedWorker): Inline =>
  paint(
    ({ running: "green", stuck: "red", waiting: "red", idle: "dim", stopped: "dim" } as const)[status],
    status,
  );
