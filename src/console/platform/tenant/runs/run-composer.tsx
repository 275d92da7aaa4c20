import { Button, Group, Text, Textarea } from "@mantine/core";
import { useRef, useState } from "react";
import { isSendKey } from "../../../parts/inputs/send-key.ts";
import { useEscape } from "../../../runs/use-escape.ts";
import { runTexts as texts } from "../../../texts/platform/tenant-runs.ts";

interface RunComposerProps {
  isRunning: boolean;
  /** Why no question can be sent now. */
  fault: string | undefined;
  ask: (query: string) => void;
  stop: () => void;
}

const queryMost = 262_144;

/** The question field: Ctrl+Enter sends, Escape stops the run. */
export function RunComposer({ isRunning, fault, ask, stop }: RunComposerProps) {
  const [query, setQuery] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEscape(isRunning, stop);
  const send = () => {
    if (query.trim() === "" || isRunning || fault !== undefined) return;
    ask(query);
    setQuery("");
    field.current?.focus();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Textarea
        ref={field}
        label={texts.query}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={queryMost}
        data-autofocus
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (!isSendKey(event)) return;
          event.preventDefault();
          send();
        }}
      />
      <Group justify="space-between" mt="xs">
        <Text size="xs" className={fault === undefined ? "ar-soft" : "ar-tn-warn-text"}>
          {fault ?? texts.keys}
        </Text>
        {isRunning ? (
          <Button variant="default" onClick={stop}>
            {texts.stop}
          </Button>
        ) : (
          <Button type="submit" disabled={query.trim() === "" || fault !== undefined}>
            {texts.ask}
          </Button>
        )}
      </Group>
    </form>
  );
}
