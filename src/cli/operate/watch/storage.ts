import { Command } from "commander";
import type { RetentionRule, StorageReport } from "../../../contracts/daemon/storage-report.ts";
import { type CommandCall, type Perform, withDaemon } from "../../call.ts";
import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import { sizeText } from "../../terminal/size-text.ts";

export const storageCommand = (perform: Perform) =>
  new Command("storage")
    .description("show the sizes of databases, folders and tables, free disk, and what retention deletes")
    .action((_: object, command: Command) => perform(command, showStorage));

async function showStorage(call: CommandCall): Promise<ExitCode> {
  const { screen } = call;
  // The databases of the other services count too.
  const report = await withDaemon(call, { withOthers: true }, (client) => client.storage());
  if (screen.json) {
    screen.document(report);
    return exitCodes.ok;
  }
  screen.fields(factsOf(report));
  screen.print();
  screen.table(
    ["WHAT", "SIZE", "NOTE"],
    [
      ...report.databases.map(({ service, size_bytes, log_bytes, reusable_bytes }) => [
        `${service} database`,
        sizeText(size_bytes),
        [
          log_bytes === null ? "" : `log ${sizeText(log_bytes)}`,
          reusable_bytes === null ? "" : `reusable ${sizeText(reusable_bytes)}`,
        ]
          .filter(Boolean)
          .join(", "),
      ]),
      ...report.folders.map(({ name, size_bytes, files, complete }) => [
        name === "." ? "other files" : `${name}/`,
        `${complete ? "" : "over "}${sizeText(size_bytes)}`,
        `${files}${complete ? "" : "+"} files`,
      ]),
    ],
  );
  screen.print();
  screen.table(
    ["TABLE", "SERVICE", "ROWS", "SIZE"],
    report.tables.map(({ table, service, rows, size_bytes }) => [
      table,
      service,
      rows === null ? "unknown" : `${report.engine === "sqlite" ? "≤ " : "~ "}${rows}`,
      size_bytes === null ? "" : sizeText(size_bytes),
    ]),
  );
  screen.print();
  screen.table(
    ["KEPT", "SERVICE", "DAYS", "AT MOST", "REACH THEIR AGE WITHIN A DAY"],
    report.retention.map((rule) => [
      rule.what,
      rule.service,
      String(rule.days),
      rule.bytes_max === null ? "" : sizeText(rule.bytes_max),
      dueOf(rule),
    ]),
  );
  return exitCodes.ok;
}

function factsOf({ data_folder: folder, engine, disk, days }: StorageReport): [string, string][] {
  const [first] = days;
  const last = days.at(-1);
  const grown =
    first === undefined || last === undefined || first === last
      ? "unknown before tomorrow"
      : `${sizeText(last.size_bytes - first.size_bytes)} since ${first.day}`;
  return [
    ["Data folder", folder],
    ["Databases", engine === "postgres" ? "PostgreSQL" : "SQLite"],
    [
      "Free disk",
      disk === null ? "unknown" : `${sizeText(disk.free_bytes)} of ${sizeText(disk.total_bytes)}`,
    ],
    ["Growth", grown],
  ];
}

const dueOf = ({ due }: RetentionRule): string =>
  due === null ? "" : `${due.rows}${due.complete ? "" : "+"} (${sizeText(due.size_bytes)})`;
