import type { DeskReport, ReportFigures } from "../../../contracts/gateway/reports.ts";
import { measures } from "../../charts/measure.ts";
import { TimeChart } from "../../charts/time-chart.tsx";
import { Figures } from "../../parts/layout/figures.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { PlainTable } from "../../parts/tables/plain-table.tsx";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import {
  formatDay,
  formatFixed,
  formatNumber,
  formatPercent,
  formatShortDay,
} from "../../parts/text/format.ts";
import { reportTexts as texts } from "../../texts/gateway/reports.ts";
import { formatWait } from "./report-days.ts";

/** A report as figures, charts and tables. */
export function ReportView({ report: { total, days, people, agents } }: { report: DeskReport }) {
  const scores = total.csat.scores.map((count, at) => ({ score: at + 1, count }));
  return (
    <div className="ar-stack">
      <Figures
        figures={[
          waitFigure(texts.firstResponse, total.first_response),
          waitFigure(texts.resolution, total.resolution),
          { label: texts.conversations, value: formatNumber(total.conversations) },
          { label: texts.inbound, value: formatNumber(total.inbound) },
          { label: texts.outbound, value: formatNumber(total.outbound) },
          {
            label: texts.csat,
            value: satisfaction(total),
            note: texts.answers(total.csat.answered, total.csat.asked),
          },
        ]}
      />
      <Panel title={texts.perDay}>
        <TimeChart
          label={texts.perDay}
          data={days.map(({ date, inbound, outbound, conversations }) => ({
            label: formatShortDay(date),
            conversations,
            inbound,
            outbound,
          }))}
          series={[
            { name: "conversations", label: texts.conversations, color: "gray.5" },
            { name: "inbound", label: texts.inbound, color: "sea.5" },
            { name: "outbound", label: texts.outbound, color: "brass.4" },
          ]}
        />
      </Panel>
      <Panel title={texts.times}>
        <TimeChart
          label={texts.times}
          kind="line"
          measure={measures.duration}
          data={days.map(({ date, first_response, resolution }) => ({
            label: formatShortDay(date),
            first: inMs(first_response.average_s),
            resolution: inMs(resolution.average_s),
          }))}
          series={[
            { name: "first", label: texts.firstResponse, color: "sea.5" },
            { name: "resolution", label: texts.resolution, color: "brass.4" },
          ]}
        />
      </Panel>
      <Groups title={texts.byPerson} head={texts.name} rows={people.map(named)} none={texts.nobody} />
      <Groups title={texts.byAgent} head={texts.name} rows={agents.map(named)} none={texts.noAgents} />
      <Panel title={texts.scores} flush>
        <PlainTable
          label={texts.scores}
          keyOf={({ score }) => String(score)}
          rows={total.csat.answered === 0 ? [] : scores}
          empty={<p className="ar-soft ar-panel-body">{texts.noScores}</p>}
          columns={[
            { id: "score", header: texts.score, cell: ({ score }) => String(score) },
            { id: "count", header: texts.count, align: "end", cell: ({ count }) => formatNumber(count) },
            {
              id: "share",
              header: texts.share,
              align: "end",
              cell: ({ count }) => formatPercent(count / total.csat.answered),
            },
          ]}
        />
      </Panel>
      <Groups
        title={texts.byDay}
        head={texts.date}
        rows={days.map(({ date, ...figures }) => ({ ...figures, key: date, name: formatDay(date) }))}
        none={texts.none}
      />
    </div>
  );
}

type GroupRow = ReportFigures & { key: string; name: string };

const named = ({ name, ...figures }: ReportFigures & { name: string }): GroupRow => ({
  ...figures,
  key: name,
  name: escapeUnseenName(name),
});

interface GroupsProps {
  title: string;
  head: string;
  rows: readonly GroupRow[];
  none: string;
}

/** The same figures for each person, agent or day. */
function Groups({ title, head, rows, none }: GroupsProps) {
  return (
    <Panel title={title} flush>
      <PlainTable
        label={title}
        keyOf={({ key }) => key}
        rows={rows}
        empty={<p className="ar-soft ar-panel-body">{none}</p>}
        columns={[
          { id: "name", header: head, cell: ({ name }) => <bdi>{name}</bdi> },
          {
            id: "begun",
            header: texts.conversations,
            align: "end",
            from: "md",
            cell: ({ conversations }) => formatNumber(conversations),
          },
          {
            id: "inbound",
            header: texts.inbound,
            align: "end",
            from: "md",
            cell: ({ inbound }) => formatNumber(inbound),
          },
          {
            id: "outbound",
            header: texts.outbound,
            align: "end",
            from: "sm",
            cell: ({ outbound }) => formatNumber(outbound),
          },
          {
            id: "first",
            header: texts.firstResponse,
            align: "end",
            cell: ({ first_response }) => waitText(first_response.average_s),
          },
          {
            id: "resolution",
            header: texts.resolution,
            align: "end",
            from: "sm",
            cell: ({ resolution }) => waitText(resolution.average_s),
          },
          { id: "csat", header: texts.csat, align: "end", cell: satisfaction },
        ]}
      />
    </Panel>
  );
}

const waitText = (seconds: number | null): string => (seconds === null ? texts.none : formatWait(seconds));

const waitFigure = (label: string, { count, average_s, median_s }: ReportFigures["first_response"]) => ({
  label,
  value: waitText(average_s),
  note:
    median_s === null ? texts.cases(count) : `${texts.median(formatWait(median_s))}, ${texts.cases(count)}`,
});

const satisfaction = ({ csat: { average } }: ReportFigures): string =>
  average === null ? texts.none : texts.outOfFive(formatFixed(average, 1));

const inMs = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1000);
