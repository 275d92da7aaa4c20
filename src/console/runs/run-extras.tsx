import type { ChainLink, ChainResult, Proposal, RunMetadata } from "../../contracts/daemon/runs/run.ts";
import { type PlainColumn, PlainTable } from "../parts/tables/plain-table.tsx";
import { formatDuration, formatFixed } from "../parts/text/format.ts";
import { JsonView } from "../parts/text/json-view.tsx";
import { StatusBadge, type Tone } from "../parts/text/status-badge.tsx";
import { runPartTexts as texts } from "../texts/runs.ts";

interface RunExtrasProps {
  data?: unknown;
  data_error?: string;
  chain?: ChainResult;
  propuestas?: readonly Proposal[];
  sources?: RunMetadata["sources"];
}

const tones: Readonly<Record<string, Tone>> = { success: "good", error: "bad" };

const chainColumns: readonly PlainColumn<ChainLink>[] = [
  {
    id: "agent",
    header: texts.chainAgent,
    hidesHeader: true,
    className: "ar-break",
    cell: ({ agent }) => agent,
  },
  {
    id: "status",
    header: texts.chainStatus,
    hidesHeader: true,
    cell: ({ status }) => <StatusBadge tone={tones[status] ?? "plain"}>{status}</StatusBadge>,
  },
  {
    id: "answer",
    header: texts.chainAnswer,
    hidesHeader: true,
    className: "ar-break",
    cell: ({ answer, error, reason }) => answer ?? error ?? reason,
  },
  {
    id: "time",
    header: texts.chainTime,
    hidesHeader: true,
    align: "end",
    cell: ({ duration_ms }) => formatDuration(duration_ms),
  },
];

/** Parts that only some answers have: data, a chain, proposals, source passages. */
export function RunExtras({ data, data_error: dataError, chain, propuestas, sources = [] }: RunExtrasProps) {
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
          <PlainTable
            label={texts.chain}
            columns={chainColumns}
            rows={chain.links}
            keyOf={({ via, agent }) => `${via} ${agent}`}
          />
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
                  {texts.score} {formatFixed(score, 3)}
                </span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}
