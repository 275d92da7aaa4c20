import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { EvalGrid } from "../../../contracts/daemon/evals/eval-runs.ts";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { evalRunPath } from "./eval-keys.ts";

type Cell = EvalGrid["cases"][number]["cells"][number];

export interface ShownCell extends Cell {
  title: string;
  /** Id of the run. */
  run: string;
}

interface CellsDialogProps {
  title: string;
  query: string | undefined;
  expected: string | undefined;
  cells: readonly ShownCell[];
  close: () => void;
}

/** Answers to one case side by side, with the checks that they failed. */
export const CellsDialog = ({ title, query, expected, cells, close }: CellsDialogProps) => (
  <Dialog opened onClose={close} size="90%" title={title}>
    {query !== undefined && <div className="ar-eval-text">{query}</div>}
    {expected !== undefined && (
      <>
        <strong>{texts.expected}</strong>
        <div className="ar-eval-text">{expected}</div>
      </>
    )}
    <CellsSideBySide cells={cells} />
  </Dialog>
);

export const CellsSideBySide = ({ cells }: { cells: readonly ShownCell[] }) => (
  <div className="ar-eval-sides">
    {cells.map((cell) => (
      <section key={JSON.stringify([cell.run, cell.target])} aria-label={cell.title}>
        <strong className="ar-break">{cell.title}</strong>{" "}
        <StatusBadge tone={cell.passed === cell.of ? "good" : "bad"}>
          {texts.rate(cell.passed, cell.of)}
        </StatusBadge>
        <div className="ar-eval-text">{cell.response}</div>
        {cell.failed.map(({ check, reason }) => (
          <p key={check} className="ar-flat ar-break">
            <span className="ar-mono">{check}</span>: {reason ?? texts.failed}
          </p>
        ))}
        <Anchor component={Link} size="sm" href={`${evalRunPath(cell.run)}?result=${cell.number}`}>
          {texts.result}
        </Anchor>
      </section>
    ))}
  </div>
);
