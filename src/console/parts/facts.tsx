import type { ReactNode } from "react";

export interface Fact {
  label: string;
  value: ReactNode;
}

interface FactsProps {
  facts: readonly Fact[];
  /** Beside each other, for few short ones. */
  across?: true;
}

/** Names and what they are, a line each. */
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
