import { Table, Title } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { Facts } from "../../parts/layout/facts.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { LoadingState } from "../../parts/states/loading-state.tsx";
import { formatDuration, formatNumber } from "../../parts/text/format.ts";
import { figureUsd } from "../../parts/text/money.ts";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { traceTexts as texts } from "../../texts/studio/runs.ts";
import { SpanContent } from "./span-content.tsx";
import { spanTitle } from "./span-names.ts";
import type { TimelineRow } from "./timeline.ts";

interface SpanDetailsProps {
  row: TimelineRow;
  /** The recording of the run, if there may be one. */
  cassette?: UseQueryResult<Cassette | null>;
}

/** One span: its time, its attributes and, for recorded runs, its input and output. */
export function SpanDetails({ row: { span, startMs, ownMs }, cassette }: SpanDetailsProps) {
  const attributes = Object.entries(span.attributes).filter(([name]) => !shownElsewhere.has(name));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section tabIndex={0} className="ar-panel ar-span-details" aria-label={texts.span}>
      <div className="ar-panel-head">
        <Title order={2} size="h3" className="ar-break">
          {spanTitle(span)}
        </Title>
        {span.status === "ERROR" && <StatusBadge tone="bad">{texts.failed}</StatusBadge>}
      </div>
      <div className="ar-panel-body ar-stack">
        <Facts
          across
          facts={[
            { label: texts.begins, value: `+${formatDuration(startMs)}` },
            { label: texts.takes, value: formatDuration(span.duration_ms) },
            { label: texts.ownTime, value: formatDuration(ownMs) },
          ]}
        />
        {cassette?.isLoading && <LoadingState rows={3} />}
        {cassette?.isError && <FailureView thrown={cassette.error} title={texts.recordingGone} />}
        <SpanContent span={span} cassette={cassette?.data} />
        <div>
          <Title order={3} size="h4" mb={4}>
            {texts.attributes} <span className="ar-soft ar-mono">{span.name}</span>
          </Title>
          <Table className="ar-attributes">
            <Table.Tbody>
              {attributes.map(([name, value]) => (
                <Table.Tr key={name}>
                  <Table.Th scope="row">{name}</Table.Th>
                  <Table.Td className="ar-break" data-id-text>
                    {shownAs(name, value)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      </div>
    </section>
  );
}

/** Input and output are shown separately. */
const shownElsewhere: ReadonlySet<string> = new Set(["input", "output"]);

function shownAs(name: string, value: unknown): string {
  if (typeof value === "number") return name === "cost_usd" ? figureUsd(value) : formatNumber(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}
