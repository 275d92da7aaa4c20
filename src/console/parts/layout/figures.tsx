import type { ReactNode } from "react";

export interface Figure {
  label: string;
  value: ReactNode;
  /** Small text below. */
  note?: ReactNode;
}

/** The most important numbers, side by side. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className="ar-figures">
      {figures.map(({ label, value, note }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <span className="ar-figure">{value}</span>
            {note !== undefined && <span className="ar-soft ar-figure-note">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
