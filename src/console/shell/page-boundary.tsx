import { Button } from "@mantine/core";
import { Component, type ReactNode } from "react";
import type { Connection } from "../api/connection.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { shellTexts } from "../texts/shell.ts";

interface PageBoundaryProps {
  connection: Connection;
  children: ReactNode;
}

/** What is shown in place of a page that threw; the rest of the console goes on. */
export class PageBoundary extends Component<PageBoundaryProps, { thrown?: unknown }> {
  override state: { thrown?: unknown } = {};
  #unsubscribe = () => {};

  static getDerivedStateFromError(thrown: unknown) {
    return { thrown };
  }

  /** A page's code that can't be had is no fault of the page: once the server is back all of it is loaded again. */
  override componentDidCatch(thrown: unknown) {
    if (!isCodeMissing(thrown)) return;
    const { connection } = this.props;
    connection.lost();
    this.#unsubscribe = connection.subscribe(() => {
      if (!connection.isLost()) location.reload();
    });
  }

  override componentWillUnmount() {
    this.#unsubscribe();
  }

  override render() {
    const { thrown } = this.state;
    if (thrown === undefined) return this.props.children;
    if (isCodeMissing(thrown)) {
      return (
        <>
          <PageHead title={shellTexts.unreachableTitle} />
          <EmptyState text={shellTexts.unreachableHint}>
            <Button onClick={() => location.reload()}>{shellTexts.retry}</Button>
          </EmptyState>
        </>
      );
    }
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

/** As browsers tell of it: Chromium, Firefox, Safari. */
const isCodeMissing = (thrown: unknown): boolean =>
  thrown instanceof TypeError &&
  /dynamically imported module|importing a module script failed/i.test(thrown.message);
