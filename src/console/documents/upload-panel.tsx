import { Button, FileButton } from "@mantine/core";
import { useState } from "react";
import { documentTypes } from "../../contracts/daemon/rag/document-types.ts";
import { Panel } from "../parts/layout/panel.tsx";
import { uploadTexts as texts } from "../texts/documents.ts";
import { UploadList } from "./upload-list.tsx";
import type { Uploads } from "./use-upload-queue.ts";

const endings = Object.values(documentTypes)
  .flatMap((kind) => kind.endings)
  .map((ending) => `.${ending}`)
  .join(",");

/** Accepts dropped or chosen files, and shows the progress of each. */
export function UploadPanel({ uploads, hint = texts.kinds }: { uploads: Uploads; hint?: string }) {
  const [isOver, setOver] = useState(false);
  return (
    <Panel title={texts.title}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button within does the same by the keyboard */}
      <div
        className="ar-drop"
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          uploads.add([...event.dataTransfer.files]);
        }}
      >
        <div className="ar-drop-line">
          <span>{texts.drop}</span>
          <FileButton multiple accept={endings} onChange={(files) => uploads.add(files)}>
            {(props) => (
              <Button {...props} size="xs" variant="default">
                {texts.choose}
              </Button>
            )}
          </FileButton>
        </div>
        <span className="ar-soft">{hint}</span>
      </div>
      {uploads.uploads.length > 0 && <UploadList uploads={uploads} />}
    </Panel>
  );
}
