import type { Command } from "commander";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import type { ReportFigures } from "../../contracts/gateway/reports.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import { channelOption, type GatewayOptions, gatewayCommand, withGateway } from "./with-gateway.ts";

interface ReportOptions extends GatewayOptions {
  tenant?: string;
  channel?: ChannelName;
  from?: string;
  to?: string;
  timeZone?: string;
  csv?: true;
}

export const reportsCommand = (perform: Perform) =>
  gatewayCommand("reports", "response times, resolutions, messages and scores, by day, person and agent")
    .option("--tenant <id>", "only this tenant's")
    .addOption(channelOption())
    .option("--from <day>", "first day, such as 2026-03-01 (six days before the last)")
    .option("--to <day>", "last day (today)")
    .option("--time-zone <zone>", "IANA time zone in which the days begin (this machine's)")
    .option("--csv", "print CSV")
    .action((options: ReportOptions, command: Command) => perform(command, (call) => report(call, options)));

async function report(
  call: CommandCall,
  { tenant, channel, from, to, timeZone, csv, ...options }: ReportOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const query = {
    time_zone: timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...(tenant !== undefined && { tenant }),
    ...(channel !== undefined && { channel }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
  if (csv === true) {
    screen.print((await withGateway(call, options, (client) => client.reportCsv(query))).trimEnd());
    return exitCodes.ok;
  }
  const found = await withGateway(call, options, (client) => client.report(query));
  if (screen.json) {
    screen.document(found);
    return exitCodes.ok;
  }
  screen.table(header, [
    [paint("bold", "all"), ...cellsOf(found.total)],
    ...found.days.map(({ date, ...figures }) => [date, ...cellsOf(figures)]),
    ...found.people.map(({ name, ...figures }) => [name, ...cellsOf(figures)]),
    ...found.agents.map(({ name, ...figures }) => [`agent ${name}`, ...cellsOf(figures)]),
  ]);
  return exitCodes.ok;
}

const header = ["", "BEGUN", "IN", "OUT", "ANSWERED", "FIRST ANSWER", "RESOLVED", "AFTER", "SCORES", "SCORE"];

const cellsOf = ({
  conversations,
  inbound,
  outbound,
  first_response: first,
  resolution,
  csat,
}: ReportFigures): string[] => [
  String(conversations),
  String(inbound),
  String(outbound),
  String(first.count),
  lengthOf(first.average_s),
  String(resolution.count),
  lengthOf(resolution.average_s),
  `${csat.answered}/${csat.asked}`,
  csat.average === null ? "" : csat.average.toFixed(2),
];

/** A mean time in the two units that a person would say. */
function lengthOf(seconds: number | null): string {
  if (seconds === null) return "";
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
