import { Title } from "@mantine/core";
import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { entryOfSpan, modelCallOfSpan } from "../../../contracts/daemon/cassettes/recorded-call.ts";
import type { Span } from "../../../contracts/daemon/runs/run.ts";
import { JsonView } from "../../parts/text/json-view.tsx";
import { traceTexts as texts } from "../../texts/studio/runs.ts";
import { ModelCallView } from "./model-call-view.tsx";

interface SpanContentProps {
  span: Span;
  /** Null and undefined mean that there is none. */
  cassette: Cassette | null | undefined;
}

/** Input and output of a span, as far as the recording or the trace has them. */
export function SpanContent({ span, cassette }: SpanContentProps) {
  if (cassette) {
    const call = modelCallOfSpan(cassette, span);
    if (call !== undefined) return <ModelCallView request={call.request} answer={call.answer} />;
    const entry = entryOfSpan(cassette, span);
    if (entry !== undefined) return <InAndOut input={entry.request} output={entry.answer} />;
  }
  // Stands above the timeline.
  if (span.name === "agent.run" && span.parent_span_id === undefined) return null;
  const { input, output } = span.attributes;
  if (input !== undefined || output !== undefined) return <InAndOut input={input} output={output} />;
  const hadMore = span.name === "llm.complete" || span.name === "tool.call";
  return hadMore && !cassette ? (
    <p className="ar-soft ar-flat">{cassette === null ? texts.recordingGone : texts.notRecorded}</p>
  ) : null;
}

function InAndOut({ input, output }: { input: unknown; output: unknown }) {
  return (
    <>
      {input !== undefined && (
        <div>
          <Title order={3} size="h4" mb={4}>
            {texts.input}
          </Title>
          <JsonView value={input} label={texts.input} />
        </div>
      )}
      {output !== undefined && (
        <div>
          <Title order={3} size="h4" mb={4}>
            {texts.output}
          </Title>
          <JsonView value={output} label={texts.output} />
        </div>
      )}
    </>
  );
}
