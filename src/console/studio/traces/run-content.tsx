import { Title } from "@mantine/core";
import type { Cassette } from "../../../contracts/daemon/cassette-file.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { traceTexts as texts } from "../../texts/studio-runs.ts";
import { outcomeText } from "../recordings/outcome-text.ts";

/** The question and the answer of a whole run. */
export function RunContent({ cassette: { request, outcome } }: { cassette: Cassette }) {
  return (
    <>
      <div>
        <Title order={3} size="h4" mb={4}>
          {texts.question}
        </Title>
        <div className="ar-break">{request.query}</div>
      </div>
      <div>
        <Title order={3} size="h4" mb={4}>
          {texts.answer}
        </Title>
        <Markdown text={outcomeText(outcome)} />
      </div>
    </>
  );
}
