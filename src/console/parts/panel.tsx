import { Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { SideScroll } from "./side-scroll.tsx";

interface PanelProps {
  title: string;
  /** Right of the title. */
  actions?: ReactNode;
  /** Without space around it: for tables. */
  flush?: boolean;
  children: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Panel({ title, actions, flush, children }: PanelProps) {
  const id = useId();
  return (
    <section className="ar-panel" aria-labelledby={id}>
      <div className="ar-panel-head">
        <Title order={2} size="h3" id={id}>
          {title}
        </Title>
        {actions !== undefined && <div className="ar-panel-actions">{actions}</div>}
      </div>
      {flush ? <SideScroll>{children}</SideScroll> : <div className="ar-panel-body">{children}</div>}
    </section>
  );
}
