import { Table } from "@mantine/core";
import { formatDuration } from "../../parts/format.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { playTexts as texts } from "../../texts/studio-runs.ts";
import type { RunState } from "./run-state.ts";

/** What only some answers have: data, a chain, proposals, the passages behind it. */
export function RunExtras({ done }: { done: NonNullable<RunState["done"]> }) {
  const { data, data_error: dataError, chain, propuestas, metadata } = done;
  const { sources = [] } = metadata;
  return (
    <>
      {data !== undefined && data !== null && (
        <details className="ar-step">
          <summary>{texts.data}</summary>
          <JsonView value={data} label={texts.data} />
        </details>
      )}
      {dataError !== undefined && (
        <p className="ar-mark ar-break">
          {texts.dataError}: {dataError}
        </p>
      )}
      {chain !== undefined && (
        <details className="ar-step" open>
          <summary>
            {texts.chain}: {texts.chainOf(chain.status)}
          </summary>
          <Table>
            <Table.Tbody>
              {chain.links.map(({ agent, via, status, answer, error, reason, duration_ms }) => (
                <Table.Tr key={`${via} ${agent}`}>
                  <Table.Td className="ar-break">{agent}</Table.Td>
                  <Table.Td>
                    <StatusBadge tone={status === "success" ? "good" : status === "error" ? "bad" : "plain"}>
                      {status}
                    </StatusBadge>
                  </Table.Td>
                  <Table.Td className="ar-break">{answer ?? error ?? reason}</Table.Td>
                  <Table.Td className="ar-end">{formatDuration(duration_ms)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </details>
      )}
      {propuestas !== undefined && propuestas.length > 0 && (
        <details className="ar-step" open>
          <summary>{texts.proposals}</summary>
          <JsonView value={propuestas} label={texts.proposals} />
        </details>
      )}
      {sources.length > 0 && (
        <details className="ar-step">
          <summary>{texts.sources(sources.length)}</summary>
          <ol className="ar-sources">
            {sources.map(({ document_id: document, chunk, score }) => (
              <li key={`${document} ${chunk}`}>
                <span className="ar-break">{texts.source(document, chunk)}</span>{" "}
                <span className="ar-soft">
                  {texts.score} {score.toFixed(3)}
                </span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}
