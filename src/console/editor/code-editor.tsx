import { Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { CodeMirrorViewProps } from "./code-mirror-view.tsx";

const CodeMirrorView = lazy(() => import("./code-mirror-view.tsx"));

/** An editor for YAML, JSON or plain text. Its code is loaded when the first editor is shown. */
export function CodeEditor(props: CodeMirrorViewProps) {
  return (
    <Suspense fallback={<Skeleton height={props.minHeight ?? 240} />}>
      <CodeMirrorView {...props} />
    </Suspense>
  );
}
