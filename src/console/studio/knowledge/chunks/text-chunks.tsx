import { Button, Select, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ChunkRequest } from "../../../../contracts/daemon/rag/rag.ts";
import { areReadable, enteredNumber, type NumberEntry } from "../../../parts/inputs/number-entry.ts";
import { NumberField } from "../../../parts/inputs/number-field.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { FailureView } from "../../../parts/states/failure-view.tsx";
import { chunkTexts as texts } from "../../../texts/studio/knowledge.ts";
import { useDaemon } from "../../use-daemon.ts";
import { ChunkList } from "./chunk-list.tsx";

interface TextChunksProps {
  text: string;
  setText: (text: string) => void;
  /** The pipeline whose settings apply to empty fields; "" for the defaults. */
  pipeline: string;
}

const sizeRules = { decimals: 0, min: 1, max: 100_000 };
const overlapRules = { decimals: 0, min: 0, max: 99_999 };

/** Returns an object with the key and the number, or an empty object for an empty field. */
function given<Key extends string>(key: Key, entry: NumberEntry): Partial<Record<Key, number>> {
  const value = enteredNumber(entry);
  return value === null ? {} : ({ [key]: value } as Record<Key, number>);
}

/** Splits a pasted text with any settings. */
export function TextChunks({ text, setText, pipeline }: TextChunksProps) {
  const daemon = useDaemon();
  const [strategy, setStrategy] = useState("");
  const [size, setSize] = useState<NumberEntry>(null);
  const [overlap, setOverlap] = useState<NumberEntry>(null);
  const cutting = useMutation({
    mutationFn: () =>
      daemon.previewChunks({
        text,
        ...(pipeline === "" ? {} : { pipeline }),
        ...(strategy === "" ? {} : { strategy: strategy as NonNullable<ChunkRequest["strategy"]> }),
        ...given("chunk_size", size),
        ...given("chunk_overlap", overlap),
      }),
  });
  return (
    <>
      <Panel title={texts.paste}>
        <form
          className="ar-knowledge-form"
          onSubmit={(event) => {
            event.preventDefault();
            cutting.mutate();
          }}
        >
          <Textarea
            aria-label={texts.paste}
            description={texts.pasteHint}
            autosize
            minRows={6}
            maxRows={16}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <div className="ar-knowledge-fields">
            <Select
              label={texts.strategy}
              allowDeselect={false}
              data={[
                { value: "", label: texts.useDefault },
                ...Object.entries(texts.strategies).map(([value, label]) => ({ value, label })),
              ]}
              value={strategy}
              onChange={(value) => setStrategy(value ?? "")}
            />
            <NumberField
              label={texts.size}
              placeholder={texts.useDefault}
              rules={sizeRules}
              value={size}
              onChange={setSize}
            />
            <NumberField
              label={texts.overlap}
              placeholder={texts.useDefault}
              rules={overlapRules}
              value={overlap}
              onChange={setOverlap}
            />
            <Button
              type="submit"
              loading={cutting.isPending}
              disabled={text === "" || !areReadable([size, overlap])}
            >
              {texts.cut}
            </Button>
          </div>
        </form>
      </Panel>
      {cutting.isError && <FailureView thrown={cutting.error} />}
      {cutting.data === undefined ? (
        <EmptyState text={texts.none} />
      ) : (
        <ChunkList chunks={cutting.data.chunks} count={cutting.data.count} />
      )}
    </>
  );
}
