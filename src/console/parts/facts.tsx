import type { ReactNode } from "react";

export interface Fact {
  label: string;
  value: ReactNode;
}

/** Names and what they are, a line each. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="ar-facts">
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
