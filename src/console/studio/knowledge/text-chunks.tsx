import { Button, NumberInput, Select, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ChunkRequest } from "../../../contracts/daemon/rag.ts";
import { useDaemon } from "../../api/use-server.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { FailureView } from "../../parts/failure-view.tsx";
import { Panel } from "../../parts/panel.tsx";
import { chunkTexts as texts } from "../../texts/studio-knowledge.ts";
import { ChunkList } from "./chunk-list.tsx";

interface TextChunksProps {
  text: string;
  setText: (text: string) => void;
  /** Whose settings hold where none are given; "": the defaults. */
  pipeline: string;
}

/** Cuts a pasted text with any settings. */
export function TextChunks({ text, setText, pipeline }: TextChunksProps) {
  const daemon = useDaemon();
  const [strategy, setStrategy] = useState("");
  const [size, setSize] = useState<number | string>("");
  const [overlap, setOverlap] = useState<number | string>("");
  const cutting = useMutation({
    mutationFn: () =>
      daemon.previewChunks({
        text,
        ...(pipeline === "" ? {} : { pipeline }),
        ...(strategy === "" ? {} : { strategy: strategy as NonNullable<ChunkRequest["strategy"]> }),
        ...(typeof size === "number" ? { chunk_size: size } : {}),
        ...(typeof overlap === "number" ? { chunk_overlap: overlap } : {}),
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
                { value: "", label: texts.asSaid },
                ...Object.entries(texts.strategies).map(([value, label]) => ({ value, label })),
              ]}
              value={strategy}
              onChange={(value) => setStrategy(value ?? "")}
            />
            <NumberInput
              label={texts.size}
              placeholder={texts.asSaid}
              min={1}
              max={100_000}
              allowDecimal={false}
              value={size}
              onChange={setSize}
            />
            <NumberInput
              label={texts.overlap}
              placeholder={texts.asSaid}
              min={0}
              max={99_999}
              allowDecimal={false}
              value={overlap}
              onChange={setOverlap}
            />
            <Button type="submit" loading={cutting.isPending} disabled={text === ""}>
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
