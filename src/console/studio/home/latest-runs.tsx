import { Anchor, Table } from "@mantine/core";
import { Link } from "wouter";
import { formatCompact, formatDuration, formatUsd } from "../../parts/format.ts";
import { Instant } from "../../parts/instant.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { homeTexts as texts } from "../../texts/studio-home.ts";
import { useLatestRuns } from "./use-latest-runs.ts";

/** The newest runs, of all agents or of one; each leads to its trace. */
export function LatestRuns({ agent }: { agent?: string }) {
  const query = useLatestRuns(agent);
  const all = agent === undefined ? "/studio/traces" : `/studio/traces?agent=${encodeURIComponent(agent)}`;
  const link = (
    <Anchor component={Link} href={all} size="sm">
      {texts.allTraces}
    </Anchor>
  );
  const isEmpty = query.data?.traces.length === 0;
  return (
    <Panel title={texts.latest} actions={link} flush={query.data !== undefined && !isEmpty}>
      <Loaded query={query} rows={4}>
        {({ traces }) =>
          traces.length === 0 ? (
            <span className="ar-soft">{texts.noRuns}</span>
          ) : (
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{texts.run}</Table.Th>
                  <Table.Th className="ar-end">{texts.duration}</Table.Th>
                  <Table.Th className="ar-end ar-home-from-sm">{texts.runTokens}</Table.Th>
                  <Table.Th className="ar-end ar-home-from-sm">{texts.cost}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {traces.map(({ trace_id, agent: name, status, start_time, duration_ms, summary }) => (
                  <Table.Tr key={trace_id}>
                    <Table.Td>
                      <span className="ar-home-run">
                        <Anchor component={Link} href={`/studio/traces/${encodeURIComponent(trace_id)}`}>
                          {name}
                        </Anchor>
                        <span className="ar-soft">
                          <Instant iso={start_time} />
                        </span>
                        {status === "ERROR" && <StatusBadge tone="bad">{texts.failedRun}</StatusBadge>}
                      </span>
                    </Table.Td>
                    <Table.Td className="ar-end">{formatDuration(duration_ms)}</Table.Td>
                    <Table.Td className="ar-end ar-home-from-sm">
                      {formatCompact(summary.total_tokens)}
                    </Table.Td>
                    <Table.Td className="ar-end ar-home-from-sm">
                      {summary.cost_usd === undefined ? texts.noCost : formatUsd(summary.cost_usd)}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </Loaded>
    </Panel>
  );
}
