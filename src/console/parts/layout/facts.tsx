import type { ReactNode } from "react";

export interface Fact {
  label: string;
  value: ReactNode;
}

interface FactsProps {
  facts: readonly Fact[];
  /** True for a horizontal list, for a few short facts. */
  across?: true;
}

/** A list of names and values, one per line. */
export function Facts({ facts, across }: FactsProps) {
  return (
    <dl className={across ? "ar-facts-across" : "ar-facts"}>
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
