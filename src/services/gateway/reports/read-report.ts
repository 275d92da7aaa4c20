import { and, asc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { DeskReport, ReportFigures, ReportGroup } from "../../../contracts/gateway/reports.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import type { ReportRange } from "./report-range.ts";
import type { Measure, ReportTally } from "./schema.ts";
import { talliedUntil } from "./tally.ts";
import { measuredSums, messageSums } from "./tally-rows.ts";

export interface ReportScope {
  /** Undefined: all tenants, for operators only. */
  tenant: string | undefined;
  channel?: ChannelName | undefined;
}

/** One sum: of a quarter of an hour, or of a person and an agent. */
interface Sum {
  tally: ReportTally;
  person: string;
  agent: string;
  quarterMs: number;
  count: number;
  sum: number;
}

/** Reads the figures of a desk. A report of a year of a tenant with a million messages reads some ten thousand sums. */
export async function readReport(
  storage: GatewayStorage,
  scope: ReportScope,
  range: ReportRange,
): Promise<DeskReport> {
  const { bounds, dates, timeZone } = range;
  const [since = 0, until = 0] = [bounds[0], bounds.at(-1)];
  const within = { ...scope, since: new Date(since), until: new Date(until) };
  const fresh = await freshSums(storage, within);
  const byDay = [...(await sumsByDay(storage, within, bounds)), ...fresh];
  const byName = [...(await sumsByName(storage, within)), ...fresh];
  const days = dates.map((date, at) => {
    const [start = 0, end = 0] = [bounds[at], bounds[at + 1]];
    const own = byDay.filter(({ quarterMs }) => quarterMs >= start && quarterMs < end);
    return { date, ...figuresOf(own) };
  });
  const total = figuresOf(byName);
  return {
    tenant_id: scope.tenant ?? null,
    from: dates[0] ?? "",
    to: dates.at(-1) ?? "",
    time_zone: timeZone,
    total: {
      ...total,
      first_response: {
        ...total.first_response,
        median_s: await median(storage, within, "first_response", total.first_response.count),
      },
      resolution: {
        ...total.resolution,
        median_s: await median(storage, within, "resolution", total.resolution.count),
      },
    },
    days,
    people: groupsOf(byName, ({ person }) => person),
    agents: groupsOf(byName, ({ agent }) => agent),
  };
}

interface Within extends ReportScope {
  since: Date;
  until: Date;
}

const whole = (value: SQL) => sql<number>`${value}`.mapWith(Number);

const isIn = ({ tallies }: GatewayTables, { tenant, channel, since, until }: Within) =>
  and(
    tenant === undefined ? undefined : eq(tallies.tenantId, tenant),
    channel === undefined ? undefined : eq(tallies.channel, channel),
    gte(tallies.quarter, since),
    lt(tallies.quarter, until),
  );

/** Sums of each day, under the start of the day. */
async function sumsByDay(
  { read, tables }: GatewayStorage,
  within: Within,
  bounds: readonly number[],
): Promise<Sum[]> {
  const { tallies } = tables;
  const rows = await read
    .select({
      tally: tallies.tally,
      quarter: tallies.quarter,
      count: whole(sql`sum(${tallies.count})`),
      sum: whole(sql`sum(${tallies.sum})`),
    })
    .from(tallies)
    .where(isIn(tables, within))
    .groupBy(tallies.quarter, tallies.tally)
    .orderBy(asc(tallies.quarter));
  // Few sums for each day instead of many for each quarter.
  const sums = new Map<string, Sum>();
  let day = 0;
  for (const { tally, quarter, count, sum } of rows) {
    while (quarter.getTime() >= (bounds[day + 1] ?? Number.POSITIVE_INFINITY)) day++;
    const key = `${day} ${tally}`;
    const known = sums.get(key);
    if (known === undefined)
      sums.set(key, { tally, person: "", agent: "", quarterMs: bounds[day] ?? 0, count, sum });
    else {
      known.count += count;
      known.sum += sum;
    }
  }
  return [...sums.values()];
}

async function sumsByName({ read, tables }: GatewayStorage, within: Within): Promise<Sum[]> {
  const { tallies } = tables;
  const rows = await read
    .select({
      tally: tallies.tally,
      person: tallies.person,
      agent: tallies.agent,
      count: whole(sql`sum(${tallies.count})`),
      sum: whole(sql`sum(${tallies.sum})`),
    })
    .from(tallies)
    .where(isIn(tables, within))
    .groupBy(tallies.tally, tallies.person, tallies.agent);
  return rows.map((row) => ({ ...row, quarterMs: 0 }));
}

/** Sums of what is not in the tallies yet. */
async function freshSums({ read, tables }: GatewayStorage, within: Within): Promise<Sum[]> {
  const known = await talliedUntil(read, tables);
  const since = new Date(Math.max(known?.getTime() ?? 0, within.since.getTime() - 1));
  const until = new Date(within.until.getTime() - 1);
  if (since >= until) return [];
  const range = { ...within, since, until };
  const rows = [...(await messageSums(read, tables, range)), ...(await measuredSums(read, tables, range))];
  return rows.map(({ quarter, ...row }) => ({ ...row, quarterMs: quarter.getTime() }));
}

/** Half of the cases took this long or less. The index of the values is read from its beginning. */
async function median(
  { read, tables: { measured } }: GatewayStorage,
  { tenant, channel, since, until }: Within,
  measure: Measure,
  count: number,
): Promise<number | null> {
  if (count === 0) return null;
  const [row] = await read
    .select({ value: measured.value })
    .from(measured)
    .where(
      and(
        tenant === undefined ? undefined : eq(measured.tenantId, tenant),
        eq(measured.measure, measure),
        channel === undefined ? undefined : eq(measured.channel, channel),
        gte(measured.at, since),
        lt(measured.at, until),
      ),
    )
    .orderBy(asc(measured.value))
    .limit(1)
    .offset(Math.ceil(count / 2) - 1);
  return row === undefined ? null : row.value / 1000;
}

function figuresOf(sums: readonly Sum[]): ReportFigures {
  const of = (tally: ReportTally) => {
    const own = sums.filter((row) => row.tally === tally);
    const add = (field: "count" | "sum") => own.reduce((total, row) => total + row[field], 0);
    return { count: add("count"), sum: add("sum") };
  };
  const lasting = (tally: ReportTally) => {
    const { count, sum } = of(tally);
    return { count, average_s: count === 0 ? null : rounded(sum / count / 1000), median_s: null };
  };
  const { count: voices, sum: voiceMs } = of("transcription");
  const transcribed = { count: voices, seconds: rounded(voiceMs / 1000) };
  const scores = [1, 2, 3, 4, 5].map((score) => of(`csat_${score}`).count);
  const answered = scores.reduce((total, count) => total + count, 0);
  const points = scores.reduce((total, count, at) => total + count * (at + 1), 0);
  return {
    conversations: of("begun").count,
    inbound: of("inbound").count,
    outbound: of("outbound").count,
    first_response: lasting("first_response"),
    resolution: lasting("resolution"),
    transcription: transcribed,
    csat: {
      asked: of("csat_asked").count,
      answered,
      average: answered === 0 ? null : rounded(points / answered),
      scores,
    },
  };
}

const rounded = (value: number) => Math.round(value * 1000) / 1000;

/** Persons and agents that one report names. */
const groupsMax = 500;

/** Figures by name, the most messages first. Rows without a name are in no group. */
function groupsOf(sums: readonly Sum[], nameOf: (sum: Sum) => string): ReportGroup[] {
  return [...Map.groupBy(sums, nameOf)]
    .filter(([name]) => name !== "")
    .map(([name, own]) => ({ name, ...figuresOf(own) }))
    .sort((one, two) => two.outbound - one.outbound || (one.name < two.name ? -1 : 1))
    .slice(0, groupsMax);
}
