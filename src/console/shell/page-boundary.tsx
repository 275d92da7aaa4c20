import { Button } from "@mantine/core";
import { Component, type ReactNode } from "react";
import type { ConnectionMonitor } from "../api/connection.ts";
import { PageHeader } from "../parts/layout/page-header.tsx";
import { EmptyState } from "../parts/states/empty-state.tsx";
import { shellTexts } from "../texts/shell.ts";

interface PageBoundaryProps {
  connection: ConnectionMonitor;
  children: ReactNode;
}

/** Shows an error in place of a page that threw; the rest of the console keeps working. */
export class PageBoundary extends Component<PageBoundaryProps, { thrown?: unknown }> {
  override state: { thrown?: unknown } = {};
  #unsubscribe = () => {};

  static getDerivedStateFromError(thrown: unknown) {
    return { thrown };
  }

  /** Reloads the window once the server is back, if a page's code could not be loaded: that is not an error of the page. */
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
          <PageHeader title={shellTexts.unreachableTitle} />
          <EmptyState text={shellTexts.unreachableHint}>
            <Button onClick={() => location.reload()}>{shellTexts.retry}</Button>
          </EmptyState>
        </>
      );
    }
    return (
      <>
        <PageHeader title={shellTexts.failedTitle} />
        <EmptyState text={shellTexts.failedHint}>
          <pre className="ar-mono ar-break">{thrown instanceof Error ? thrown.message : String(thrown)}</pre>
          <Button onClick={() => location.reload()}>{shellTexts.reload}</Button>
        </EmptyState>
      </>
    );
  }
}

/** Messages of Chromium, Firefox and Safari. */
const isCodeMissing = (thrown: unknown): boolean =>
  thrown instanceof TypeError &&
  /dynamically imported module|importing a module script failed/i.test(thrown.message);
