import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { useUrlFields } from "../../../parts/address/use-url-state.ts";
import { chunkTexts as texts } from "../../../texts/studio/knowledge.ts";
import { DocumentChunks } from "./document-chunks.tsx";
import { TextChunks } from "./text-chunks.tsx";

/** Previews the chunks of a text, or shows those of a document. */
export function ChunkPreview({ collection, pipeline }: { collection: string; pipeline: string }) {
  const [fields, setFields] = useUrlFields(["document", "source"]);
  const [text, setText] = useState("");
  const isDocument = fields.source === "document" || fields.document !== "";
  return (
    <>
      <SegmentedControl
        size="xs"
        className="ar-views"
        aria-label={texts.source}
        value={isDocument ? "document" : "text"}
        data={[
          { value: "text", label: texts.text },
          { value: "document", label: texts.document },
        ]}
        onChange={(value) => setFields({ document: "", source: value === "document" ? value : "" })}
      />
      {isDocument ? (
        <DocumentChunks
          key={fields.document}
          collection={collection}
          document={fields.document}
          choose={(document) => setFields({ document })}
          retry={(joined) => {
            setText(joined);
            setFields({ document: "", source: "" });
          }}
        />
      ) : (
        <TextChunks text={text} setText={setText} pipeline={pipeline} />
      )}
    </>
  );
}
