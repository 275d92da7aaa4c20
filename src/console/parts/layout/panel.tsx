import { Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { SideScroll } from "./side-scroll.tsx";

interface PanelProps {
  title: string;
  /** Shown on the right of the title. */
  actions?: ReactNode;
  /** True for no padding, for tables. */
  flush?: boolean;
  children: ReactNode;
}

/** A section of a page with its own heading. */
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
