import { Button, Collapse, SegmentedControl, Switch, Textarea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { Icon } from "../../parts/icon.tsx";
import { isSendKey } from "../../parts/inputs/send-key.ts";
import { parseContext } from "../../runs/parse-context.ts";
import { runPartTexts } from "../../texts/runs.ts";
import { playTexts as texts } from "../../texts/studio/runs.ts";

export interface ComposedQuestion {
  query: string;
  context?: Record<string, unknown>;
  record: boolean;
}

interface ComposerProps {
  /** Initial text. */
  initial: string;
  isRunning: boolean;
  canAsk: boolean;
  isRaw: boolean;
  setRaw: (isRaw: boolean) => void;
  ask: (question: ComposedQuestion) => void;
  stop: () => void;
}

/** The question field, always visible below the answers. */
export function Composer({ initial, isRunning, canAsk, isRaw, setRaw, ask, stop }: ComposerProps) {
  const [query, setQuery] = useState(initial);
  const [record, setRecord] = useState(true);
  const [written, setWritten] = useState("");
  const [isOpen, context] = useDisclosure(false);
  const field = useRef<HTMLTextAreaElement>(null);
  // Waits one frame, because a new page first moves the focus to its content.
  useEffect(() => {
    const frame = requestAnimationFrame(() => field.current?.focus({ preventScroll: true }));
    return () => cancelAnimationFrame(frame);
  }, []);
  const read = parseContext(written);
  const isReady = canAsk && !isRunning && query.trim() !== "" && !("fault" in read);
  const send = () => {
    if (!isReady || "fault" in read) return;
    ask({ query, record, ...read });
    setQuery("");
  };
  return (
    <form
      className="ar-composer ar-panel"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Collapse expanded={isOpen}>
        <Textarea
          label={texts.context}
          description={texts.contextHint}
          error={"fault" in read ? runPartTexts.contextFaults[read.fault] : undefined}
          autosize
          minRows={2}
          maxRows={8}
          value={written}
          onChange={(event) => setWritten(event.currentTarget.value)}
          classNames={{ input: "ar-mono" }}
          mb="xs"
        />
      </Collapse>
      <Textarea
        ref={field}
        aria-label={texts.question}
        placeholder={texts.questionHint}
        autosize
        minRows={2}
        maxRows={10}
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (!isSendKey(event)) return;
          event.preventDefault();
          send();
        }}
      />
      <div className="ar-composer-row">
        <Switch
          size="xs"
          label={texts.record}
          title={texts.recordHint}
          checked={record}
          onChange={(event) => setRecord(event.currentTarget.checked)}
        />
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          aria-expanded={isOpen}
          onClick={context.toggle}
        >
          {texts.context}
        </Button>
        <SegmentedControl
          size="xs"
          aria-label={texts.view}
          value={isRaw ? "raw" : "markdown"}
          data={[
            { value: "markdown", label: texts.markdown },
            { value: "raw", label: texts.raw },
          ]}
          onChange={(value) => setRaw(value === "raw")}
        />
        <span className="ar-composer-end">
          {isRunning ? (
            <Button
              variant="default"
              className="ar-danger"
              leftSection={<Icon name="stop" size={14} />}
              rightSection={<kbd className="ar-key">{texts.stopKeys}</kbd>}
              onClick={() => {
                field.current?.focus();
                stop();
              }}
            >
              {texts.stop}
            </Button>
          ) : (
            <Button
              type="submit"
              disabled={!isReady}
              rightSection={<kbd className="ar-key">{texts.askKeys}</kbd>}
            >
              {texts.ask}
            </Button>
          )}
        </span>
      </div>
    </form>
  );
}
