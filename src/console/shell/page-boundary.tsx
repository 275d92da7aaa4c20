import { Button } from "@mantine/core";
import { Component, type ReactNode } from "react";
import { EmptyState } from "../parts/empty-state.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { shellTexts } from "../texts/shell.ts";

/** What is shown in place of a page that threw; the rest of the console goes on. */
export class PageBoundary extends Component<{ children: ReactNode }, { thrown?: unknown }> {
  override state: { thrown?: unknown } = {};

  static getDerivedStateFromError(thrown: unknown) {
    return { thrown };
  }

  override render() {
    const { thrown } = this.state;
    if (thrown === undefined) return this.props.children;
    return (
      <>
        <PageHead title={shellTexts.failedTitle} />
        <EmptyState text={shellTexts.failedHint}>
          <pre className="ar-mono ar-break">{thrown instanceof Error ? thrown.message : String(thrown)}</pre>
          <Button onClick={() => location.reload()}>{shellTexts.reload}</Button>
        </EmptyState>
      </>
    );
  }
}
