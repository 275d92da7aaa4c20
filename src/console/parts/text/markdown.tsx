import { lazy, Suspense } from "react";

const MarkdownView = lazy(() => import("./markdown-view.tsx"));

/** Renders a model's or a user's text as Markdown; plain text until the code for it has loaded. */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<div className="ar-markdown ar-break">{text}</div>}>
      <MarkdownView text={text} />
    </Suspense>
  );
}
