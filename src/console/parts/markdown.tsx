import { lazy, Suspense } from "react";

const MarkdownView = lazy(() => import("./markdown-view.tsx"));

/** A text of a model's or a user's as Markdown; plain until the code for it is there. */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<div className="ar-markdown ar-break">{text}</div>}>
      <MarkdownView text={text} />
    </Suspense>
  );
}
