import { Title } from "@mantine/core";
import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { recordingTexts as texts } from "../../texts/studio-runs.ts";
import { outcomeText } from "./outcome-text.ts";

/** The question and the outcome of a recording. */
export function RecordedAnswerView({ cassette: { request, outcome } }: { cassette: Cassette }) {
  return (
    <div className="ar-columns">
      <section className="ar-panel ar-panel-body">
        <Title order={2} size="h4" mb={4}>
          {texts.question}
        </Title>
        <div className="ar-break">{request.query}</div>
        {request.override !== undefined && (
          <details className="ar-step ar-recorded-override">
            <summary>{texts.override}</summary>
            <JsonView value={request.override} label={texts.override} maxHeight={200} />
          </details>
        )}
      </section>
      <section className="ar-panel ar-panel-body">
        <Title order={2} size="h4" mb={4}>
          {texts.answer}
        </Title>
        <Markdown text={outcomeText(outcome)} />
      </section>
    </div>
  );
}
