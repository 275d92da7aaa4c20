import { unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { type EditorLanguage, editorSetup } from "./editor-setup.ts";

export interface MergeViewProps {
  before: string;
  after: string;
  language: EditorLanguage;
  label: string;
}

/** Shows additions and removals in `after` in one column, which also fits a narrow window. */
export default function MergeView({ before, after, language, label }: MergeViewProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return;
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: after,
        extensions: [
          editorSetup({ language, label, isReadOnly: true }),
          unifiedMergeView({
            original: before,
            mergeControls: false,
            collapseUnchanged: { margin: 3, minSize: 6 },
          }),
        ],
      }),
    });
    return () => view.destroy();
  }, [before, after, language, label]);
  return <div ref={place} className="ar-editor" />;
}
