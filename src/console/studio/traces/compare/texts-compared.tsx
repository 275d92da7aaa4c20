import { DiffView } from "../../../editor/diff-view.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { compareTexts as texts } from "../../../texts/studio/trace-list.ts";

interface TextsComparedProps {
  title: string;
  a: string | undefined;
  b: string | undefined;
}

/** The same text of two runs: once if it is equal, otherwise with its differences. */
export function TextsCompared({ title, a, b }: TextsComparedProps) {
  return (
    <Panel title={title}>
      {a === undefined || b === undefined ? (
        <>
          <p className="ar-soft ar-flat">{missingText(a, b)}</p>
          {(a ?? b) !== undefined && <div className="ar-break ar-asked">{a ?? b}</div>}
        </>
      ) : a === b ? (
        <>
          <p className="ar-soft ar-flat">{texts.same}</p>
          <div className="ar-break ar-asked">{a}</div>
        </>
      ) : (
        <DiffView before={a} after={b} language="text" label={texts.differencesOf(title)} />
      )}
    </Panel>
  );
}

function missingText(a: string | undefined, b: string | undefined): string {
  if (a === undefined && b === undefined) return texts.neither;
  return a === undefined ? texts.onlySecond : texts.onlyFirst;
}
