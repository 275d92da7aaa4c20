import { Alert, Text } from "@mantine/core";
import { Icon } from "../icon.tsx";
import { type Fact, Facts } from "../layout/facts.tsx";

interface ReviewProps {
  /** The consequence of storing it. */
  hint: string;
  facts: readonly Fact[];
  /** A worked example, one line per step. */
  example: { title: string; lines: readonly string[] };
}

/** Shows everything that will be stored, exactly, with an example. */
export function Review({ hint, facts, example }: ReviewProps) {
  return (
    <>
      <Alert variant="outline" className="ar-warning" icon={<Icon name="warn" />}>
        {hint}
      </Alert>
      <Facts facts={facts} />
      <section aria-label={example.title}>
        <Text fw={600}>{example.title}</Text>
        {example.lines.map((line) => (
          <Text key={line} className="ar-tabular">
            {line}
          </Text>
        ))}
      </section>
    </>
  );
}
