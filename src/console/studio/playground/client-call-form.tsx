import { Button, Group, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import type { ToolCallResult } from "../../../contracts/daemon/runs/tool-calls.ts";
import { formatInstant } from "../../parts/text/format.ts";
import { JsonView } from "../../parts/text/json-view.tsx";
import type { Awaited } from "../../runs/run-state.ts";
import { runPartTexts } from "../../texts/runs.ts";
import { playTexts as texts } from "../../texts/studio/runs.ts";

interface ClientCallFormProps {
  awaited: Extract<Awaited, { type: "tool_result_required" }>;
  sendResult: (result: ToolCallResult) => void;
}

/** A run that waits for a result from its caller; the user enters the result here. */
export function ClientCallForm({ awaited, sendResult }: ClientCallFormProps) {
  const { tool, input, expires_at: until } = awaited;
  const [written, setWritten] = useState("");
  const text = written.trim();
  return (
    <fieldset className="ar-prompt" aria-label={texts.callTitle(tool)}>
      <Text fw={600} className="ar-break">
        {texts.callTitle(tool)}
      </Text>
      <JsonView value={input} label={`${tool}: ${runPartTexts.toolInput}`} maxHeight={220} />
      <Textarea
        label={texts.callOutput}
        description={texts.callOutputHint}
        autosize
        minRows={2}
        maxRows={10}
        value={written}
        onChange={(event) => setWritten(event.currentTarget.value)}
        classNames={{ input: "ar-mono" }}
      />
      <Group gap="xs">
        <Button onClick={() => sendResult({ output: readOutput(text) })} disabled={text === ""}>
          {texts.handIn}
        </Button>
        <Button
          variant="default"
          className="ar-danger"
          disabled={text === ""}
          onClick={() => sendResult({ error: text.slice(0, 4096) })}
        >
          {texts.handInFailure}
        </Button>
      </Group>
      <Text size="xs" className="ar-soft">
        {runPartTexts.openUntil} {formatInstant(until)}
      </Text>
    </fieldset>
  );
}

/** Parses JSON; any other text is returned unchanged. */
function readOutput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
