import type { ChunkView } from "../../../../contracts/daemon/rag/rag.ts";
import { Figures } from "../../../parts/layout/figures.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { formatNumber, formatPercent } from "../../../parts/text/format.ts";
import { chunkTexts as texts } from "../../../texts/studio/knowledge.ts";
import { shareChunks } from "./chunk-overlap.ts";

interface ChunkListProps {
  chunks: readonly ChunkView[];
  /** Total number of chunks; some may not be shown. */
  count: number;
}

/** Chunks one below the other, each with its length and its overlap with the previous one. */
export function ChunkList({ chunks, count }: ChunkListProps) {
  const shared = shareChunks(chunks);
  const lengths = chunks.map(({ start, end }) => end - start);
  const sum = lengths.reduce((total, length) => total + length, 0);
  const longest = Math.max(1, ...lengths);
  const overlap = shared.reduce((total, chunk) => total + chunk.shared, 0);
  return (
    <>
      <Figures
        figures={[
          {
            label: texts.list,
            value: formatNumber(count),
            ...(chunks.length < count && {
              note: texts.first(formatNumber(chunks.length), formatNumber(count)),
            }),
          },
          {
            label: texts.mean,
            value: formatNumber(chunks.length === 0 ? 0 : Math.round(sum / chunks.length)),
            note: texts.characters,
          },
          { label: texts.longest, value: formatNumber(Math.max(0, ...lengths)), note: texts.characters },
          {
            label: texts.shared,
            value: formatNumber(overlap),
            note: formatPercent(sum === 0 ? 0 : overlap / sum),
          },
        ]}
      />
      <Panel
        title={texts.list}
        actions={
          <span className="ar-soft">
            <mark className="ar-shared">{texts.legend}</mark>
          </span>
        }
      >
        <ol className="ar-chunks">
          {shared.map((chunk) => (
            <li key={chunk.chunk}>
              <div className="ar-chunk-head">
                <strong>{texts.chunk(chunk.chunk)}</strong>
                <span className="ar-soft">
                  {texts.range(
                    formatNumber(chunk.start),
                    formatNumber(chunk.end),
                    formatNumber(chunk.end - chunk.start),
                  )}
                  {chunk.shared > 0 && ` · ${texts.overlapOf(formatNumber(chunk.shared))}`}
                </span>
              </div>
              <div className="ar-bar" aria-hidden="true">
                <span style={{ width: `${((chunk.end - chunk.start) / longest) * 100}%` }} />
              </div>
              <div className="ar-break">
                {chunk.head !== "" && <mark className="ar-shared">{chunk.head}</mark>}
                {chunk.rest}
              </div>
            </li>
          ))}
        </ol>
      </Panel>
    </>
  );
}
